class Heap:
    def __init__(self):
        self._a = []

    def push(self, v):
        self._a.append(v)
        i = len(self._a) - 1
        while i and self._a[(i - 1) // 2] > self._a[i]:
            p = (i - 1) // 2
            self._a[p], self._a[i] = self._a[i], self._a[p]
            i = p

    def pop(self):
        a = self._a
        a[0], a[-1] = a[-1], a[0]
        out = a.pop()
        i = 0
        while True:
            kids = [k for k in (2 * i + 1, 2 * i + 2) if k < len(a)]
            if not kids:
                return out
            k = min(kids, key=lambda j: a[j])
            if a[i] <= a[k]:
                return out
            a[i], a[k] = a[k], a[i]
            i = k


h = Heap()
for v in [5, 2, 9, 1, 7]:
    h.push(v)
print([h.pop() for _ in range(5)])
