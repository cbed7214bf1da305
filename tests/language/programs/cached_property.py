from functools import cached_property, singledispatch, partialmethod


class Data:
    def __init__(self, xs):
        self.xs = xs

    @cached_property
    def total(self):
        print("computing")
        return sum(self.xs)

    def scale(self, k, by=1):
        return [x * k + by for x in self.xs]

    double = partialmethod(scale, 2)


d = Data([1, 2])
print(d.total, d.total, d.double(by=5))


@singledispatch
def show(x):
    return f"obj {x}"


@show.register
def _(x: int):
    return f"int {x}"


@show.register(list)
def _(x):
    return f"list of {len(x)}"


print(show(1), show([1, 2]), show("s"))
