# attack: the builtins behind a function
# stopped by: dunder-attribute
# and by: fence
print((lambda: 0).__builtins__, "ESCAPED")
