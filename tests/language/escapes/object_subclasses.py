# attack: a class method of type through a class name
# stopped by: dunder-attribute
# after: CVE-2024-28397 (R11)
print(object.__subclasses__(), "ESCAPED")
