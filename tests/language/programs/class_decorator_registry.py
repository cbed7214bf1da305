registry = {}


def register(name):
    def deco(cls):
        registry[name] = cls
        cls.tag = name
        return cls
    return deco


@register("dog")
class Dog:
    def speak(self):
        return "woof"


@register("cat")
class Cat:
    def speak(self):
        return "meow"


for name in sorted(registry):
    print(name, registry[name]().speak(), registry[name].tag, registry[name].__name__)
