x = 0b1011
print(x & 6, x | 4, x ^ 15, ~x, x << 2, x >> 1, x.bit_length(), bin(x).count("1"))
flags = 0
READ, WRITE, EXEC = (1 << i for i in range(3))
flags |= READ | EXEC
print(flags & WRITE == 0, flags & READ != 0, f"{flags:03b}")


def popcount(n):
    c = 0
    while n:
        n &= n - 1
        c += 1
    return c


print([popcount(i) for i in range(10)], [i ^ (i >> 1) for i in range(8)])
