# attack: deleting an attribute
# stopped by: dunder-attribute
def f(): pass
del f.__annotations__
print("ESCAPED")
