# attack: a dunder by getattr
# stopped by: dunder-attribute
print(getattr((), "__class__"), "ESCAPED")
