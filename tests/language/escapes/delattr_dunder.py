# attack: a dunder by delattr
# stopped by: dunder-attribute
class A: pass
delattr(A, "__doc_" + "x__")
print("ESCAPED")
