# attack: a default argument
# stopped by: outside-name
# after: CVE-2025-3248, GHSA-v8hw-mh8c-jxfc (R13)
def f(e=eval): return e
print(f()("1"), "ESCAPED")
