# attack: a class body whose namespace answers for the guard's name
# stopped by: harmless
seen = []
class D(dict):
    def __missing__(self, k):
        seen.append(k)
        raise KeyError(k)
class M(type):
    def __prepare__(name, bases): return D()
class A(metaclass=M):
    x = 1
print(len(seen) >= 0)
