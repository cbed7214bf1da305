def solve(n, row=0, cols=(), d1=(), d2=()):
    if row == n:
        yield cols
        return
    for c in range(n):
        if c not in cols and row + c not in d1 and row - c not in d2:
            yield from solve(n, row + 1, cols + (c,), d1 + (row + c,), d2 + (row - c,))


print(sum(1 for _ in solve(6)), next(solve(8)))
for c in next(solve(6)):
    print("." * c + "Q" + "." * (5 - c))
