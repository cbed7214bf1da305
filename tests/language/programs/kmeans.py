points = [(1, 1), (1.5, 2), (3, 4), (5, 7), (3.5, 5), (4.5, 5), (3.5, 4.5)]
centers = [points[0], points[3]]
for _ in range(10):
    groups = [[] for _ in centers]
    for p in points:
        d = [(p[0] - c[0]) ** 2 + (p[1] - c[1]) ** 2 for c in centers]
        groups[d.index(min(d))].append(p)
    new = [tuple(sum(v) / len(g) for v in zip(*g)) for g in groups]
    if new == centers:
        break
    centers = new
print([tuple(round(v, 3) for v in c) for c in centers], [len(g) for g in groups])
