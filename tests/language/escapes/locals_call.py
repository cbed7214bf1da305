# attack: locals
# stopped by: outside-name
print(locals(), "ESCAPED")
