# attack: the base classes of a type
# stopped by: dunder-attribute
# and by: fence
print(type(1).__mro__, "ESCAPED")
