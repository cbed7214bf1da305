"""Attributes whose names are made at run time, used rightly and wrongly."""
import functools


class Shelf:
    def __init__(self, *items):
        self._items = list(items)
        self.label = "shelf"

    @property
    def broken(self):
        raise ValueError("broken")

    def __bool__(self):
        return bool(self._items)


class Small(Shelf):
    def first(self):
        return getattr(super(), "first", "none above"), \
            getattr(super(), "_items", "not in the class")

    def rename(self, label):
        super().__setattr__("label", label)
        object.__setattr__(self, "owner", "me")
        return super().__getattribute__("label"), self.owner

    def forget(self):
        super().__delattr__("label")
        object.__delattr__(self, "owner")
        return hasattr(self, "label"), hasattr(self, "owner")


def attempt(what, *args, **named):
    try:
        return what(*args, **named)
    except Exception as e:
        return type(e).__name__


s = Small(1, 2)
print(s.first(), s.rename("box"), s.forget())
print(getattr(super(Small), "_items", "unbound"))
print(getattr(s, "\ud800", "no such letter"), hasattr(s, "\ud800"))
print(getattr(s, "_items"), hasattr(s, "_items"), hasattr(s, "__len__"),
      hasattr(s, "__bool__"), hasattr(5, "real"))
setattr(Shelf, "__len__", lambda self: len(self._items))
print(len(s), bool(s))
delattr(Shelf, "__len__")
print(attempt(len, s))

for f in (getattr, hasattr, setattr, delattr, exit):
    print(f.__name__ if f is not exit else "exit",
          [attempt(f, *args) for args in (
              (s, 5), (s, "a", 1, 2, 3), (s, 5, 6))][1:])
print(attempt(getattr, s), attempt(getattr, s, 5), attempt(hasattr, s),
      attempt(hasattr, s, 5), attempt(setattr, s, 5, 1), attempt(setattr, s),
      attempt(delattr, s, 5), attempt(delattr, s), attempt(delattr, s, "gone"),
      attempt(setattr, 5, "x", 1))
print(attempt(getattr, s, "broken"), attempt(getattr, s, "broken", "default"),
      attempt(hasattr, s, "broken"), attempt(getattr, s, "gone"))
print(attempt(lambda: object.__setattr__(s)),
      attempt(lambda: object.__setattr__(s, 5, 1)),
      attempt(lambda: object.__getattribute__(s, "gone")),
      attempt(lambda: Small.__enter__(s)))

for text in ("{0.}", "{0.real", "{0.real[}", "{0[.]}", "{0.real:{0.imag}}",
             "{0:{0:{0.real}}}", "{.real} {.imag}", "{x.real}", "{0.real!x}",
             "{{0.real}}", "}.{"):
    try:
        print(repr(text.format(1, 2, x=3)))
    except Exception as e:
        print(text, type(e).__name__, e)


def described(x):
    match x:
        case Small(label="box"):
            return "a box"
        case Small():
            return "small"
        case int(n) | float(n):
            return n
        case str():
            return "text"
    return "other"


def matched_wrongly(x, kind):
    match x:
        case kind(a, b):
            return a, b


print([described(x) for x in (s, 5, 1.5, "x", None)],
      attempt(matched_wrongly, s, Small), attempt(matched_wrongly, s, 5),
      attempt(matched_wrongly, 5, Small))


def wrapped(a: int, b: "str" = "") -> None:
    """text"""


wrapped.kept = 1
part = functools.partial(wrapped, 1)
bare = functools.wraps(part)(lambda: 1)
whole = functools.update_wrapper(lambda: 1, wrapped)
print(whole.__name__, whole.__doc__, whole.kept, bare.__name__,
      functools.update_wrapper(Shelf(), wrapped).__name__,
      attempt(functools.update_wrapper), attempt(functools.wraps))
