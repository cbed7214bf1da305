# attack: an annotated name
# stopped by: dunder-name
__builtins__: dict = {}
print("ESCAPED")
