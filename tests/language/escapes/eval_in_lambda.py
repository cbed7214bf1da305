# attack: inside a lambda
# stopped by: outside-name
print((lambda: eval)()("1"), "ESCAPED")
