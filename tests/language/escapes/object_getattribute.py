# attack: object.__getattribute__ takes a name at run time
# stopped by: dunder-attribute
def f(): pass
print(object.__getattribute__(f, "__globals__"), "ESCAPED")
