class Node:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next


class LinkedList:
    def __init__(self, items=()):
        self._head = None
        self._size = 0
        for item in items:
            self.append(item)

    def append(self, value):
        node = Node(value)
        if self._head is None:
            self._head = node
        else:
            cur = self._head
            while cur.next:
                cur = cur.next
            cur.next = node
        self._size += 1

    def reverse(self):
        prev, cur = None, self._head
        while cur:
            cur.next, prev, cur = prev, cur, cur.next
        self._head = prev

    def __iter__(self):
        cur = self._head
        while cur:
            yield cur.value
            cur = cur.next

    def __len__(self):
        return self._size

    def __str__(self):
        return " -> ".join(map(str, self))

    def __contains__(self, v):
        return any(x == v for x in self)


ll = LinkedList([1, 2, 3])
ll.append(4)
print(ll, len(ll), 3 in ll, 9 in ll)
ll.reverse()
print(ll)
