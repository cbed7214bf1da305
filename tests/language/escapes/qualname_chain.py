# attack: harmless attributes give text only
# stopped by: harmless
class A: pass
assert type(A.__name__) is str and type(A.__qualname__) is str
