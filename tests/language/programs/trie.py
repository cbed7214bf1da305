class Trie:
    def __init__(self):
        self._root = {}

    def insert(self, word):
        node = self._root
        for c in word:
            node = node.setdefault(c, {})
        node["$"] = True

    def starts(self, prefix):
        node = self._root
        for c in prefix:
            if c not in node:
                return []
            node = node[c]
        return [prefix + w for w in self._words(node)]

    def _words(self, node):
        for c, n in sorted(node.items()):
            if c == "$":
                yield ""
            else:
                yield from (c + w for w in self._words(n))


t = Trie()
for w in "car card care cat dog".split():
    t.insert(w)
print(t.starts("car"), t.starts("x"), t.starts("d"))
