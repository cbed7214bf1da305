# attack: a nonlocal statement
# stopped by: dunder-name
def f():
    __class__ = 1
    def g():
        nonlocal __class__
print("ESCAPED")
