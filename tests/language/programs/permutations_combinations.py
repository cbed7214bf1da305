from itertools import permutations, combinations, product, combinations_with_replacement

print(["".join(p) for p in permutations("abc")])
print(list(combinations(range(4), 2)))
print([a + b for a, b in product("xy", "12")])
print(len(list(combinations_with_replacement("abc", 3))))
