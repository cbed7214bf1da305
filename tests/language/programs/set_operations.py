a, b = {1, 2, 3, 4}, {3, 4, 5}
print(a | b, a & b, a - b, a ^ b, a <= {1, 2, 3, 4, 5}, a.isdisjoint({9}))
s = set()
s.add(1)
s.update([2, 3])
s.discard(9)
s.remove(2)
print(sorted(s), frozenset([1, 2]) | {3}, len({1, 1, 2}), {x % 3 for x in range(10)})
try:
    s.remove(42)
except KeyError as e:
    print("KeyError", e)
dup = [1, 2, 2, 3, 1]
print(list(dict.fromkeys(dup)), sorted(set(dup)), [x for x in set(dup) if dup.count(x) > 1])
