class A:
    def who(self):
        return ["A"]


class B(A):
    def who(self):
        return ["B"] + super().who()


class C(A):
    def who(self):
        return ["C"] + super().who()


class D(B, C):
    def who(self):
        return ["D"] + super(D, self).who()


print(D().who(), [c.__name__ for c in D.mro()], issubclass(D, A), isinstance(D(), C))


class Legacy(A):
    def __init__(self, x):
        A.__init__(self)
        self.x = x


print(Legacy(3).x)
