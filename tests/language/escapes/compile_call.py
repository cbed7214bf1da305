# attack: compile
# stopped by: outside-name
print(compile("1", "x", "eval"), "ESCAPED")
