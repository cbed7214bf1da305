# attack: declare a special name global, for whatever comes later
# stopped by: dunder-name
def f():
    global __builtins__
