from itertools import groupby
import re


def encode(s):
    return "".join(f"{len(list(g))}{k}" for k, g in groupby(s))


def decode(s):
    return "".join(int(n) * c for n, c in re.findall(r"(\d+)(\D)", s))


e = encode("WWWWBBBWC")
print(e, decode(e))
