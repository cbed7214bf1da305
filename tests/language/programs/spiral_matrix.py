def spiral(m):
    out = []
    while m:
        out += m[0]
        m = [list(r) for r in zip(*m[1:])][::-1]
    return out


print(spiral([[1, 2, 3], [4, 5, 6], [7, 8, 9]]))
n = 3
print([[i * n + j for j in range(n)] for i in range(n)])
rot = list(zip(*[[1, 2], [3, 4]][::-1]))
print(rot)
