# attack: the dictionary of an object
# stopped by: dunder-attribute
class A: pass
print(A().__dict__, "ESCAPED")
