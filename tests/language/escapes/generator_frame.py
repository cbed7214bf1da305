# attack: the frame of a generator
# stopped by: internal-attribute
# and by: fence
g = (x for x in [1])
print(g.gi_frame.f_back.f_globals, "ESCAPED")
