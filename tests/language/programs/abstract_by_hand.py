class Shape:
    def area(self):
        raise NotImplementedError("subclass must implement area")

    def __str__(self):
        return f"{type(self).__name__} with area {self.area():.2f}"


class Square(Shape):
    def __init__(self, s):
        self.s = s

    def area(self):
        return self.s ** 2


class Circle(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return 3.14159 * self.r ** 2


for s in (Square(2), Circle(1)):
    print(s)
try:
    print(Shape().area())
except NotImplementedError as e:
    print("NotImplementedError:", e)
