class Timer:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        print("enter", self.name)
        return self

    def __exit__(self, exc_type, exc, tb):
        print("exit", self.name, exc_type.__name__ if exc_type else None, exc)
        return exc_type is ZeroDivisionError


with Timer("a") as t, Timer("b"):
    print(t.name)
with Timer("c"):
    1 / 0
try:
    with Timer("d"):
        raise KeyError("k")
except KeyError as e:
    print("caught", e)
