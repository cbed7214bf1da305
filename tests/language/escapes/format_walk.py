# attack: a whole walk through str.format
# stopped by: format
# after: CVE-2025-24359 (R2, R4)
class A:
    def __init__(self): pass
print("{0.__init__.__globals__}".format(A()), "ESCAPED")
