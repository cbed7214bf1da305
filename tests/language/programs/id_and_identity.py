a = [1]
b = a
c = [1]
print(a is b, a is c, id(a) == id(b), id(a) == id(c), a == c)


class Thing:
    pass


t = Thing()
print(hash(t) == hash(t), t == t, t != Thing(), len({t, t, Thing()}))
print(str(t).startswith("<__main__.Thing object at 0x"), repr(len), isinstance(id(t), int))
