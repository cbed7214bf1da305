# What has no repr of its own shows its class and its id.
class Plain:
    def method(self):
        return self


def function():
    return None


def generator():
    yield 1


plain = Plain()
things = [plain, function, generator(), lambda: None, Plain]
for thing in things[:4]:
    print(hex(id(thing)) in repr(thing), "%" in repr(thing))
print(repr(plain).startswith("<__main__.Plain object at 0x"))
print(repr(function).startswith("<function function at 0x"))
print(repr(plain.method).startswith("<bound method Plain.method of <__main__"))
print(repr([].append).startswith("<built-in method append of list object at 0x"))
print(repr(Plain))
print(hash(plain) == hash(plain), id(plain) == id(plain))
