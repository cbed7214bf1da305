# attack: the class of a literal as a value
# stopped by: dunder-attribute
x = "".__class__
print("ESCAPED")
