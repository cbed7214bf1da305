# attack: a NUL made at run time is only a character
# stopped by: harmless
assert len("\0") == 1
