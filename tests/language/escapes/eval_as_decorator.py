# attack: a decorator
# stopped by: outside-name
# after: CVE-2025-3248, GHSA-v8hw-mh8c-jxfc (R13)
@eval
def f(): pass
print("ESCAPED")
