# attack: a name put together at run time
# stopped by: dunder-attribute
# after: CVE-2026-53710 (R5, R14)
print(getattr((), "__cla" + "ss__"), "ESCAPED")
