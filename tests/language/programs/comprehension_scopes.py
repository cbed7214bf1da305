xs = [x * y for x in range(3) for y in range(3) if x != y]
d = {k: [i for i in range(k)] for k in range(4)}
s = {len(w) for w in "the quick brown fox".split()}
nested = [[c for c in row if c % 2] for row in [[1, 2, 3], [4, 5]]]
print(xs, d, sorted(s), nested)
total = 0
print([total := total + n for n in range(5)], total)
print([f(3) for f in [lambda x, k=k: x + k for k in range(3)]])
flat = [v for row in [[1, 2], [3]] for v in row]
print(flat, any(v > 2 for v in flat), all(flat))
