def ack(m, n):
    return n + 1 if m == 0 else ack(m - 1, 1) if n == 0 else ack(m - 1, ack(m, n - 1))


print(ack(2, 3))


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


print(depth(500))
try:
    depth(10 ** 6)
except RecursionError as e:
    print("RecursionError:", e)
