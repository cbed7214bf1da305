# attack: an attribute in an annotation
# stopped by: dunder-attribute
x: ().__class__ = 1
print("ESCAPED")
