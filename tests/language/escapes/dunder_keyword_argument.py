# attack: a keyword argument
# stopped by: dunder-name
def f(**k): return k
print(f(__class__=1), "ESCAPED")
