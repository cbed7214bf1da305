xs = [1, 2, 3, 4, 5]
ys = [2.2, 4.1, 6.2, 7.9, 10.1]
n = len(xs)
mx, my = sum(xs) / n, sum(ys) / n
slope = sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)
intercept = my - slope * mx
r2 = 1 - sum((y - (slope * x + intercept)) ** 2 for x, y in zip(xs, ys)) / sum((y - my) ** 2 for y in ys)
print(f"y = {slope:.3f}x + {intercept:.3f}, R2 = {r2:.4f}")
