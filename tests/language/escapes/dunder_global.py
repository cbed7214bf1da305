# attack: a global statement
# stopped by: dunder-name
def f():
    global __builtins__
    __builtins__ = {}
print("ESCAPED")
