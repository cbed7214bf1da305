# What the validator walks and the guards check
import collections
import json
import typing
from functools import partial, wraps


def logged(f):
    @wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    inner._calls = 0
    return inner


class Base:
    __slots__ = ("_items", "name")
    __match_args__ = ("name",)

    def __init__(self, name, *, items=()):
        self._items, self.name = list(items), name

    def __len__(self):
        return len(self._items)

    def __eq__(self, other):
        return self.name == getattr(other, "name", None)

    @property
    def first(self) -> typing.Optional[int]:
        return self._items[0] if self._items else None


class Derived(Base):
    def __init__(self, name):
        super().__init__(name, items=[1, 2, 3])


@logged
def kind(x):
    match x:
        case Base(name="a" | "b" as n, first=1):
            return f"{n!r:>5}"
        case [1, *rest] if rest:
            return "list {0} {1[0]}".format(len(rest), rest)
        case {"k": v, **more}:
            return "%s %d" % (v, len(more))
        case None | True | -1:
            return getattr(x, "real", "none")
        case _:
            return "{x.name}".format(x=x) if hasattr(x, "_items") else "?"


def numbers(n):
    try:
        for i in range(n):
            if i % 2:
                continue
            yield i
        else:
            yield -1
    finally:
        pass


async def later():
    async with other() as o:
        return [x async for x in o]


with_all = [kind(Derived("a")), kind([1, 2]), kind({"k": 1, "j": 2}),
            kind(None), kind(Derived("c")), kind(3), *numbers(4)]
total = {k: v for k, v in enumerate(with_all) if (w := k) is not None}
Pair = collections.namedtuple("Pair", ["a", "b"])
p = Pair(1, 2)._replace(a=3)
setattr(kind, "extra", 1)
lam = lambda a, /, b=1, *c, d=2, **e: (a, b, c, d, e)
print(json.dumps({"p": p._asdict(), "l": lam(1, 2, 3, d=4, f=5)}), end="")
print(type(p).__name__, p.__class__.__name__, isinstance(p, tuple), hash(p))
del with_all[0]
assert total, "no"
partial(print, "x", sep="-")("y")
_ = total
