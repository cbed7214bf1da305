class SingletonMeta(type):
    _instances = {}

    def __call__(cls, *args, **kwargs):
        if cls not in cls._instances:
            cls._instances[cls] = super().__call__(*args, **kwargs)
        return cls._instances[cls]


class Config(metaclass=SingletonMeta):
    def __init__(self, v=1):
        self.v = v


a, b = Config(5), Config(7)
print(a is b, a.v, type(a).__name__, type(Config).__name__, isinstance(Config, type))
