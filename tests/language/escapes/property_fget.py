# attack: the function of a property
# stopped by: internal-attribute
class A:
    @property
    def x(self): return 1
print(A.x.fget, "ESCAPED")
