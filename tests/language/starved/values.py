# standard: what becomes of every kind of value
import array
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import pathlib
import uuid


class Colour(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Point:
    x: int
    y: list


class Own(dict):
    pass


Pair = collections.namedtuple("Pair", "a b")
day = datetime.datetime(2024, 2, 29, 1, 2, 3, tzinfo=datetime.timezone.utc)
_ = [None, True, 1, 2 ** 80, 1.5, float("nan"), "tëxt\ud800", b"\xff", 1j,
     (1, 2), range(3), {3, 1, 2}, frozenset("ab"), {1: 2, None: 3, "k": 4},
     {(1, 2): 3, b"b": 4, 1.5: 5, day: 6}, Own(a=1),
     collections.Counter("aab"), collections.deque([1]),
     collections.OrderedDict(a=1), collections.defaultdict(list, a=[1]),
     Pair(1, 2), Point(1, [2]), Colour.RED, array.array("i", [1]), day,
     day.date(), day.time(), day - day, decimal.Decimal("1.5"),
     fractions.Fraction(1, 3), uuid.UUID(int=5), pathlib.PurePath("a/b"),
     ValueError("x"), print, Point, {}.keys(), {1: 2}.items(), object(),
     (n for n in ()), collections]
