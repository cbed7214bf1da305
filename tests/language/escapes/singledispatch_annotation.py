# attack: singledispatch registers by annotation
# stopped by: no-evaluation
import functools
@functools.singledispatch
def f(x): pass
@f.register
def g(x: "().__class__"): pass
print("ESCAPED")
