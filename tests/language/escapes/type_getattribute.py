# attack: type.__getattribute__ on a class
# stopped by: dunder-attribute
print(type.__getattribute__(int, "__bases__"), "ESCAPED")
