# attack: what a generator delegates to
# stopped by: internal-attribute
def f(): yield from [1]
print(f().gi_yieldfrom, "ESCAPED")
