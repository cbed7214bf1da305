# attack: the same, put there by a metaclass
# stopped by: match-args
class M(type):
    def __instancecheck__(cls, o): return True
    def __prepare__(name, bases): return {"__match_args__": ("__code__",)}
class A(metaclass=M): pass
match (lambda: 0):
    case A(c):
        print(c, "ESCAPED")
