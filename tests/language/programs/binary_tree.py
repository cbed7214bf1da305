class Tree:
    class _Node:
        def __init__(self, key):
            self.key, self.left, self.right = key, None, None

    def __init__(self):
        self._root = None

    def insert(self, key):
        self._root = self._insert(self._root, key)

    def _insert(self, node, key):
        if node is None:
            return self._Node(key)
        if key < node.key:
            node.left = self._insert(node.left, key)
        elif key > node.key:
            node.right = self._insert(node.right, key)
        return node

    def in_order(self):
        def go(n):
            if n:
                yield from go(n.left)
                yield n.key
                yield from go(n.right)
        return go(self._root)

    def height(self):
        def h(n):
            return 0 if n is None else 1 + max(h(n.left), h(n.right))
        return h(self._root)


t = Tree()
for k in [50, 30, 70, 20, 40, 60, 80, 30]:
    t.insert(k)
print(list(t.in_order()), t.height())
