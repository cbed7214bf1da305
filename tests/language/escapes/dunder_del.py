# attack: deleting a name
# stopped by: dunder-name
del __builtins__
print("ESCAPED")
