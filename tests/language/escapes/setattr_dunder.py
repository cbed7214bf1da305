# attack: a dunder by setattr
# stopped by: dunder-attribute
class A: pass
setattr(A(), "__class__", int)
print("ESCAPED")
