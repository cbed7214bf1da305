# attack: a special method that is not called at once
# stopped by: dunder-attribute
f = object.__getattribute__
print("ESCAPED")
