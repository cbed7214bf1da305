from collections import OrderedDict


class LRU:
    def __init__(self, cap):
        self.cap = cap
        self._d = OrderedDict()

    def get(self, k):
        if k not in self._d:
            return -1
        self._d.move_to_end(k)
        return self._d[k]

    def put(self, k, v):
        self._d[k] = v
        self._d.move_to_end(k)
        if len(self._d) > self.cap:
            self._d.popitem(last=False)


c = LRU(2)
c.put(1, 1)
c.put(2, 2)
print(c.get(1))
c.put(3, 3)
print(c.get(2), c.get(3), list(c._d.items()))
