# attack: a special method through an instance
# stopped by: dunder-attribute
x = [1]
print(x.__len__(), "ESCAPED")
