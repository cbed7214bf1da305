# attack: the function behind a method
# stopped by: dunder-attribute
# and by: fence
class A:
    def m(self): pass
print(A().m.__func__, "ESCAPED")
