PAIRS = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]


def to_roman(n):
    out = ""
    for v, s in PAIRS:
        while n >= v:
            out += s
            n -= v
    return out


def from_roman(s):
    vals = dict((b, a) for a, b in PAIRS if len(b) == 1)
    total = 0
    for a, b in zip(s, s[1:] + " "):
        total += -vals[a] if vals.get(b, 0) > vals[a] else vals[a]
    return total


for n in (1, 4, 9, 14, 40, 90, 400, 1994, 2024):
    r = to_roman(n)
    print(n, r, from_roman(r))
