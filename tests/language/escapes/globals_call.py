# attack: globals
# stopped by: outside-name
print(globals(), "ESCAPED")
