# attack: an attribute that the parser normalises
# stopped by: dunder-attribute
print(().__ｃlass__, "ESCAPED")
