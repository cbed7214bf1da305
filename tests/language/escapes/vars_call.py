# attack: vars
# stopped by: outside-name
class A: pass
print(vars(A), "ESCAPED")
