# attack: the object behind super()
# stopped by: dunder-attribute
class A:
    def m(self):
        return super().__self__
print(A().m(), "ESCAPED")
