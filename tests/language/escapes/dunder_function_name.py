# attack: a function of that name outside a class
# stopped by: dunder-name
def __import__(*a): pass
print("ESCAPED")
