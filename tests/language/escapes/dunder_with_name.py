# attack: the target of with
# stopped by: dunder-name
class A:
    def __enter__(self): return {}
    def __exit__(self, *a): pass
with A() as __builtins__:
    pass
print("ESCAPED")
