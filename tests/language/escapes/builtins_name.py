# attack: __builtins__ by name
# stopped by: dunder-name
print(__builtins__, "ESCAPED")
