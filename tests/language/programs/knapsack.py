items = [("gold", 10, 60), ("silver", 20, 100), ("bronze", 30, 120)]
cap = 50
best = [[0] * (cap + 1) for _ in range(len(items) + 1)]
for i, (_, w, v) in enumerate(items, 1):
    for c in range(cap + 1):
        best[i][c] = best[i - 1][c]
        if c >= w:
            best[i][c] = max(best[i][c], best[i - 1][c - w] + v)
print(best[-1][-1])
