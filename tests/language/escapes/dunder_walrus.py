# attack: an assignment expression
# stopped by: dunder-name
print((__builtins__ := {}), "ESCAPED")
