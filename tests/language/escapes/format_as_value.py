# attack: the method as a value
# stopped by: format
f = "{0.__class__}".format
print(list(map(f, [1])), "ESCAPED")
