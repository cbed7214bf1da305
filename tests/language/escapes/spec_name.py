# attack: __spec__ by name
# stopped by: dunder-name
print(__spec__, "ESCAPED")
