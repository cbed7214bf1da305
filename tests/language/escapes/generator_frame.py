# attack: the frame of a generator
# stopped by: internal-attribute
# and by: fence
# after: CVE-2023-37271 (R3)
g = (x for x in [1])
print(g.gi_frame.f_back.f_globals, "ESCAPED")
