# attack: a class of that name
# stopped by: dunder-name
class __builtins__: pass
print("ESCAPED")
