class Ring:
    def __init__(self, n):
        self._n, self._data, self._at = n, [], 0

    def add(self, x):
        if len(self._data) < self._n:
            self._data.append(x)
        else:
            self._data[self._at] = x
            self._at = (self._at + 1) % self._n

    def __iter__(self):
        return iter(self._data[self._at:] + self._data[:self._at])

    def __getitem__(self, i):
        if isinstance(i, slice):
            return list(self)[i]
        return list(self)[i]


r = Ring(3)
for i in range(5):
    r.add(i)
print(list(r), r[0], r[-1], r[1:])
