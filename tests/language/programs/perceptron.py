data = [((0, 0), 0), ((0, 1), 0), ((1, 0), 0), ((1, 1), 1)]
w, b, lr = [0.0, 0.0], 0.0, 0.1
for epoch in range(20):
    errors = 0
    for x, y in data:
        out = 1 if sum(wi * xi for wi, xi in zip(w, x)) + b > 0 else 0
        delta = y - out
        if delta:
            errors += 1
            w = [wi + lr * delta * xi for wi, xi in zip(w, x)]
            b += lr * delta
    if not errors:
        break
print(epoch, [round(v, 2) for v in w], round(b, 2))
