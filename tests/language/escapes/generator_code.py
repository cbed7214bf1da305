# attack: the code of a generator
# stopped by: internal-attribute
# and by: fence
# after: CVE-2026-32640 (R3)
g = (x for x in [1])
print(g.gi_code, "ESCAPED")
