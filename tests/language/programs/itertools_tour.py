import itertools as it

print(list(it.islice(it.count(10, 5), 4)))
print(list(it.accumulate([1, 2, 3, 4], lambda a, b: a * b)))
print(list(it.chain([1], (2, 3), "4")))
print([(k, list(g)) for k, g in it.groupby("aabbbc")])
print(list(it.takewhile(lambda x: x < 3, [1, 2, 3, 1])), list(it.dropwhile(lambda x: x < 3, [1, 2, 3, 1])))
print(list(it.zip_longest("ab", "xyz", fillvalue="-")))
print(list(it.starmap(pow, [(2, 3), (3, 2)])), list(it.pairwise([1, 2, 3])))
a, b = it.tee(iter([1, 2]))
print(list(a), list(b), list(it.compress("abcd", [1, 0, 1, 0])))
