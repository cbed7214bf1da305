# attack: a class attribute that CPython reads
# stopped by: dunder-name
class A:
    __class__ = int
print("ESCAPED")
