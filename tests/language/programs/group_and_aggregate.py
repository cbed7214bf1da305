sales = [
    {"region": "N", "product": "a", "amount": 100},
    {"region": "S", "product": "a", "amount": 150},
    {"region": "N", "product": "b", "amount": 200},
    {"region": "S", "product": "b", "amount": 50},
    {"region": "N", "product": "a", "amount": 75},
]
from itertools import groupby
from functools import reduce

key = lambda r: (r["region"], r["product"])
for k, g in groupby(sorted(sales, key=key), key=key):
    g = list(g)
    print(k, sum(r["amount"] for r in g), len(g))
pivot = {}
for r in sales:
    pivot.setdefault(r["region"], {}).setdefault(r["product"], 0)
    pivot[r["region"]][r["product"]] += r["amount"]
print(pivot)
print(reduce(lambda acc, r: acc + r["amount"], sales, 0), max(sales, key=lambda r: r["amount"])["product"])
