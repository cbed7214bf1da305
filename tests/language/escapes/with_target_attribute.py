# attack: the target of with
# stopped by: dunder-attribute
class A:
    def __enter__(self): return 1
    def __exit__(self, *a): pass
def f(): pass
with A() as f.__code__:
    print("ESCAPED")
