# attack: a spelling that the parser normalises
# stopped by: dunder-name
print(__ｉmport__, "ESCAPED")
