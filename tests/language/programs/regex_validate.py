import re


def check(p):
    rules = {
        "length": len(p) >= 8,
        "upper": bool(re.search(r"[A-Z]", p)),
        "lower": bool(re.search(r"[a-z]", p)),
        "digit": bool(re.search(r"\d", p)),
        "special": bool(re.search(r"[^\w\s]", p)),
    }
    return all(rules.values()), [k for k, ok in rules.items() if not ok]


for p in ("abc", "Abcdefg1!", "ALLCAPS99", "Passw0rd#"):
    print(p, check(p))
print(re.fullmatch(r"\d{3}-\d{4}", "555-1234") is not None)
print(re.match(r"(\w+) (\w+)", "John Smith").groups())
print(bool(re.match("hello", "HELLO", re.IGNORECASE)))
