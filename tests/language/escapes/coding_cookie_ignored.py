# attack: the cookie means nothing
# stopped by: harmless
# coding: utf-7
# +AAo-print("ESCAPED")
x = 1
