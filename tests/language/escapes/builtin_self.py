# attack: the module behind a built-in function
# stopped by: dunder-attribute
print(len.__self__, "ESCAPED")
