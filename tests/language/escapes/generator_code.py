# attack: the code of a generator
# stopped by: internal-attribute
# and by: fence
g = (x for x in [1])
print(g.gi_code, "ESCAPED")
