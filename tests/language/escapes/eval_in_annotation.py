# attack: an annotation, which is evaluated
# stopped by: outside-name
def f(x: eval("1")): pass
print("ESCAPED")
