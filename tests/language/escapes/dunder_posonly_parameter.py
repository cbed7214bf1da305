# attack: the same, positional-only
# stopped by: dunder-name
def f(__import__, /): return __import__
print("ESCAPED")
