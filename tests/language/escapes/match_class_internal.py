# attack: a class pattern that reads a frame
# stopped by: match-args
g = (x for x in [1])
match g:
    case object(gi_frame=f):
        print(f, "ESCAPED")
