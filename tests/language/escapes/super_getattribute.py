# attack: super().__getattribute__ takes a name at run time
# stopped by: dunder-attribute
class A:
    def m(self):
        return super().__getattribute__("__dict__")
print(A().m(), "ESCAPED")
