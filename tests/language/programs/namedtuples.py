from collections import namedtuple
from typing import NamedTuple


class Employee(NamedTuple):
    name: str
    id: int = 3

    def greet(self):
        return f"I am {self.name}"


Point = namedtuple("Point", ["x", "y"], defaults=[0])
p = Point(1)
print(p, p.x, p[1], p._replace(y=5), p._asdict(), Point._fields, p == (1, 0))
print(Point._make([7, 8]), Point.__name__)
e = Employee("Guido")
print(e, e.greet(), e.id, Employee._fields, Employee._field_defaults)
x, y = p
print(x + y, sorted([Point(2, 1), Point(1, 2)]), {Point(0, 0): "o"})
