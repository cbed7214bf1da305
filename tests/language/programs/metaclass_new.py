class Meta(type):
    def __new__(mcs, name, bases, namespace):
        namespace["tag"] = name.lower()
        return super().__new__(mcs, name, bases, namespace)

    def __init__(cls, name, bases, ns):
        super().__init__(name, bases, ns)


class Base(metaclass=Meta):
    pass


class Child(Base):
    pass


print(Base.tag, Child.tag)
Dynamic = type("Dynamic", (Base,), {"x": 1, "hello": lambda self: "hi"})
print(Dynamic().hello(), Dynamic.tag, Dynamic.x)
