# attack: an internal attribute through str.format
# stopped by: format
print("{0.gi_frame}".format(x for x in []), "ESCAPED")
