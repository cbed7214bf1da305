# attack: the origin of a generic alias
# stopped by: dunder-attribute
print(list[int].__origin__, "ESCAPED")
