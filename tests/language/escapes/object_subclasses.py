# attack: a class method of type through a class name
# stopped by: dunder-attribute
print(object.__subclasses__(), "ESCAPED")
