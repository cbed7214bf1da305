# attack: a mangled name meets a private attribute of a library class
# stopped by: private-attribute
import collections
class Counter:
    def f(self, o):
        return o.__x
print(Counter().f(collections.Counter()), "ESCAPED")
