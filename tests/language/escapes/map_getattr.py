# attack: getattr as a value
# stopped by: dunder-attribute
print(list(map(getattr, [()], ["__class__"])), "ESCAPED")
