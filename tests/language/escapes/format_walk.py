# attack: a whole walk through str.format
# stopped by: format
class A:
    def __init__(self): pass
print("{0.__init__.__globals__}".format(A()), "ESCAPED")
