# attack: the dictionary of a type
# stopped by: dunder-attribute
# and by: fence
print(str.__dict__, "ESCAPED")
