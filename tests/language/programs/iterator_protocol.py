class Countdown:
    def __init__(self, start):
        self.start = start

    def __iter__(self):
        return CountdownIter(self.start)

    def __reversed__(self):
        return iter(range(1, self.start + 1))


class CountdownIter:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n + 1


c = Countdown(3)
print(list(c), list(c), list(reversed(c)), max(c), 2 in c)
it = iter(c)
print(next(it), next(it), next(it), next(it, "end"))
print(list(iter(lambda s=[3, 2, 1, 0]: s.pop(0), 0)))
