# attack: a partial's function has no globals to read
# stopped by: harmless
import functools
p = functools.partial(functools.reduce)
try:
    print(getattr(p.func, "__globals__"), "ESCAPED")
except AttributeError:
    pass
