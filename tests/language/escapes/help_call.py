# attack: help
# stopped by: outside-name
help(int)
print("ESCAPED")
