# attack: the target of a loop
# stopped by: dunder-name
for __builtins__ in [{}]:
    pass
print("ESCAPED")
