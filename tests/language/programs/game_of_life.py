def step(cells):
    counts = {}
    for x, y in cells:
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                if dx or dy:
                    k = (x + dx, y + dy)
                    counts[k] = counts.get(k, 0) + 1
    return {k for k, n in counts.items() if n == 3 or (n == 2 and k in cells)}


cells = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}
for gen in range(3):
    for y in range(5):
        print("".join("#" if (x, y) in cells else "." for x in range(5)))
    print("--", gen, len(cells))
    cells = step(cells)
