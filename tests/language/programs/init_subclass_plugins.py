class Plugin:
    _registry = []

    def __init_subclass__(cls, /, label="?", **kwargs):
        super().__init_subclass__(**kwargs)
        cls._registry.append((label, cls.__name__))


class A(Plugin, label="first"):
    pass


class B(Plugin):
    pass


print(Plugin._registry)
