# attack: an attribute in the specification of an f-string
# stopped by: dunder-attribute
print(f"{1:{().__class__}} ESCAPED")
