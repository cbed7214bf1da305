# attack: hidden in the format specification
# stopped by: format
print("{0:{1.__class__}}".format(1, 2), "ESCAPED")
