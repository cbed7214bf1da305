# attack: the same in a lambda
# stopped by: dunder-name
f = lambda __builtins__: __builtins__
print("ESCAPED")
