# attack: a decorator
# stopped by: outside-name
@eval
def f(): pass
print("ESCAPED")
