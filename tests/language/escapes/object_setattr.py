# attack: object.__setattr__ takes a name at run time
# stopped by: dunder-attribute
class A: pass
object.__setattr__(A(), "__class__", int)
print("ESCAPED")
