# attack: an attribute in an f-string
# stopped by: dunder-attribute
print(f"{().__class__} ESCAPED")
