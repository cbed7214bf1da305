class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, objtype=None):
        if obj is None:
            return self
        return getattr(obj, self.name)

    def __set__(self, obj, value):
        if value <= 0:
            raise ValueError(f"{self.name[1:]} must be positive")
        setattr(obj, self.name, value)


class Product:
    price = Positive()
    count = Positive()

    def __init__(self, price, count):
        self.price, self.count = price, count

    def total(self):
        return self.price * self.count


print(Product(2, 5).total())
try:
    Product(-1, 2)
except ValueError as e:
    print(e)
