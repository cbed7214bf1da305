# attack: the same, starred
# stopped by: dunder-name
def f(*__args__, **__kwargs__): return 1
print("ESCAPED")
