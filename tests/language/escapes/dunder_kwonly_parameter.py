# attack: the same, keyword-only
# stopped by: dunder-name
def f(*, __builtins__=1): return __builtins__
print("ESCAPED")
