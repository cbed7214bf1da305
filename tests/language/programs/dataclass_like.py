class Record:
    fields = ()

    def __init__(self, **kw):
        for f in self.fields:
            setattr(self, f, kw.pop(f, None))
        if kw:
            raise TypeError(f"unknown fields: {sorted(kw)}")

    def __repr__(self):
        inner = ", ".join(f"{f}={getattr(self, f)!r}" for f in self.fields)
        return f"{type(self).__name__}({inner})"

    def __eq__(self, o):
        return type(self) is type(o) and all(getattr(self, f) == getattr(o, f) for f in self.fields)


class User(Record):
    fields = ("name", "age")


print(User(name="a", age=1), User(name="a") == User(name="a"), hasattr(User(), "name"), hasattr(User(), "zip"))
try:
    User(nme="typo")
except TypeError as e:
    print(e)
