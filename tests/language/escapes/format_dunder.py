# attack: attributes through str.format
# stopped by: format
print("{0.__class__}".format(()), "ESCAPED")
