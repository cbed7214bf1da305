# attack: changing the class of an object
# stopped by: dunder-attribute
class A: pass
class B: pass
a = A()
a.__class__ = B
print("ESCAPED")
