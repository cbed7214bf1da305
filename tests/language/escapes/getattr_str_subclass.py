# attack: a str subclass whose methods lie
# stopped by: exact-name
# after: CVE-2026-53710 (R5, R14)
class S(str):
    def startswith(self, *a): return False
    def __eq__(self, o): return False
    def __hash__(self): return hash("real")
print(getattr((), S("__class__")), "ESCAPED")
