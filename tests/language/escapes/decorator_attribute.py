# attack: an attribute in a decorator
# stopped by: dunder-attribute
@(lambda f: f.__globals__)
def f(): pass
print(f, "ESCAPED")
