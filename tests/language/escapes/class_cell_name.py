# attack: the implicit __class__ of a method
# stopped by: dunder-name
class A:
    def m(self):
        return __class__
print(A().m(), "ESCAPED")
