class Point:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "y", y)

    def __setattr__(self, name, value):
        raise AttributeError(f"cannot set {name}")

    def __repr__(self):
        return f"Point({self.x}, {self.y})"


p = Point(1, 2)
try:
    p.x = 5
except AttributeError as e:
    print(e)
print(p)


class Proxy:
    def __init__(self, target):
        self._target = target

    def __getattr__(self, name):
        print("get", name)
        return getattr(self._target, name)


print(Proxy([3, 1]).index(1))


class Celsius(float):
    def __new__(cls, v):
        return super().__new__(cls, round(v, 1))

    def __repr__(self):
        return f"{float(self)} C"


print([Celsius(21.456)], Celsius(1) + 1)
