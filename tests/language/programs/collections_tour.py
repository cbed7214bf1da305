from collections import ChainMap, Counter, OrderedDict, defaultdict, deque, UserDict

c = Counter("mississippi")
c.update("miss")
print(c.most_common(2), c["z"], sorted((c - Counter("iii")).items()), sum(c.values()))
od = OrderedDict(a=1, b=2, c=3)
od.move_to_end("a")
print(list(od), od.popitem(last=False))
cm = ChainMap({"x": 1}, {"x": 2, "y": 3})
print(cm["x"], cm["y"], dict(cm))
dd = defaultdict(lambda: defaultdict(int))
dd["a"]["b"] += 1
print(dd["a"]["b"], dd["z"]["q"], len(dd))


class Upper(UserDict):
    def __setitem__(self, k, v):
        super().__setitem__(k.upper(), v)


u = Upper(a=1)
u["b"] = 2
print(u, u.data)
d = deque(range(5))
d.extendleft([9, 8])
print(d, d.pop(), d.popleft(), d.index(2))
