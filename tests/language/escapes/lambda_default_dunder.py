# attack: in a lambda's default
# stopped by: dunder-attribute
print((lambda x=().__class__: x)(), "ESCAPED")
