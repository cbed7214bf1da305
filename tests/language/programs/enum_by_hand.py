class Color:
    RED = 1
    GREEN = 2
    BLUE = 3

    @classmethod
    def name_of(cls, value):
        for name in ("RED", "GREEN", "BLUE"):
            if getattr(cls, name) == value:
                return name
        raise ValueError(f"{value} is not a color")


print(Color.name_of(2))
try:
    Color.name_of(9)
except ValueError as e:
    print(e)
