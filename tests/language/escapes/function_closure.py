# attack: the cells of a closure
# stopped by: dunder-attribute
# and by: fence
def f():
    x = 1
    return lambda: x
print(f().__closure__, "ESCAPED")
