# attack: a field that cannot be read as text, so that the next one is not looked at
# stopped by: format
# after: CVE-2023-41039 (R2)
class A:
    pass


a = A()
setattr(a, "\ud800", 1)
print("{0.\ud800}{0.__class__.__mro__}".format(a), "ESCAPED")
