def coins(amount, kinds=(1, 5, 10, 25)):
    best = [0] + [None] * amount
    for a in range(1, amount + 1):
        options = [best[a - k] for k in kinds if k <= a and best[a - k] is not None]
        best[a] = min(options) + 1 if options else None
    return best[amount]


print(coins(63), coins(3, (2,)), coins(0))
ways = [1] + [0] * 100
for k in (1, 5, 10, 25, 50):
    for a in range(k, 101):
        ways[a] += ways[a - k]
print(ways[100])
