# attack: eval
# stopped by: outside-name
print(eval("().__class__"), "ESCAPED")
