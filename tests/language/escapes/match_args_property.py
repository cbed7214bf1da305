# attack: a metaclass that answers differently each time
# stopped by: match-args
class M(type):
    n = 0
    def __instancecheck__(cls, o): return True
    def __getattribute__(cls, name):
        M.n += 1
        return ("x",) if M.n == 1 else ("__globals__",)
class A(metaclass=M): pass
match (lambda: 0):
    case A(c):
        print(c, "ESCAPED")
