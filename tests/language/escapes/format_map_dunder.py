# attack: the same through format_map
# stopped by: format
print("{x.__class__}".format_map({"x": 1}), "ESCAPED")
