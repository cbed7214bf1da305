# attack: __match_args__ names a forbidden attribute
# stopped by: match-args
class M(type):
    def __instancecheck__(cls, o): return True
class A(metaclass=M):
    __match_args__ = ("__globals__",)
match (lambda: 0):
    case A(g):
        print(g, "ESCAPED")
