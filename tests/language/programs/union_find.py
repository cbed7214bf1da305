class DSU:
    def __init__(self, n):
        self._p = list(range(n))
        self._size = [1] * n

    def find(self, x):
        while self._p[x] != x:
            self._p[x] = self._p[self._p[x]]
            x = self._p[x]
        return x

    def union(self, a, b):
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        if self._size[a] < self._size[b]:
            a, b = b, a
        self._p[b] = a
        self._size[a] += self._size[b]
        return True


edges = [(1, 0, 1), (3, 1, 2), (2, 0, 2), (4, 2, 3)]
d = DSU(4)
print(sum(w for w, a, b in sorted(edges) if d.union(a, b)), len({d.find(i) for i in range(4)}))
