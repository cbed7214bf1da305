# attack: an augmented assignment
# stopped by: dunder-attribute
def f(): pass
f.__defaults__ += (1,)
print("ESCAPED")
