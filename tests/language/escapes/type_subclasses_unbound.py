# attack: the same, unbound
# stopped by: dunder-attribute
print(type.__subclasses__(object), "ESCAPED")
