# attack: the globals of a function
# stopped by: dunder-attribute
# and by: fence
def f(): pass
print(f.__globals__, "ESCAPED")
