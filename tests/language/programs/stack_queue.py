from collections import deque


class Stack:
    def __init__(self):
        self._items = []

    def push(self, x):
        self._items.append(x)

    def pop(self):
        if not self._items:
            raise IndexError("pop from empty stack")
        return self._items.pop()

    def __len__(self):
        return len(self._items)


s = Stack()
for c in "abc":
    s.push(c)
print("".join(s.pop() for _ in range(len(s))))
try:
    s.pop()
except IndexError as e:
    print(e)
q = deque([1, 2, 3], maxlen=3)
q.append(4)
q.appendleft(0)
q.rotate(1)
print(q, q[0], list(q))
