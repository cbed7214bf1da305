# attack: an attribute in a default value
# stopped by: dunder-attribute
def f(x=(lambda: 0).__globals__): return x
print(f(), "ESCAPED")
