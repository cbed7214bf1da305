# attack: a default argument
# stopped by: outside-name
def f(e=eval): return e
print(f()("1"), "ESCAPED")
