from collections import namedtuple

Point = namedtuple("Point", "x y")


class Circle:
    __match_args__ = ("center", "radius")

    def __init__(self, center, radius):
        self.center, self.radius = center, radius


def describe(v):
    match v:
        case 0 | 1:
            return "small"
        case int(n) if n < 0:
            return f"negative {n}"
        case str() as s:
            return f"text {s!r}"
        case Point(x=0, y=0):
            return "origin"
        case Point(x, y):
            return f"point {x},{y}"
        case Circle(Point(a, b), r):
            return f"circle {a} {b} {r}"
        case [first, *rest]:
            return f"list {first} then {rest}"
        case {"type": kind, **rest}:
            return f"{kind} with {sorted(rest)}"
        case None:
            return "nothing"
        case _:
            return "other"


for v in [0, -5, "hi", Point(0, 0), Point(1, 2), Circle(Point(1, 1), 3), [1, 2, 3], {"type": "t", "a": 1}, None, 3.5]:
    print(describe(v))
