# attack: the same, positional-only
# stopped by: dunder-name
# after: CVE-2026-55830 (R7)
def f(__import__, /): return __import__
print("ESCAPED")
