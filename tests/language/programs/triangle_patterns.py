n = 4
for i in range(1, n + 1):
    print(" " * (n - i) + "*" * (2 * i - 1))
row = [1]
for _ in range(6):
    print(" ".join(map(str, row)).center(20).rstrip())
    row = [a + b for a, b in zip([0] + row, row + [0])]
