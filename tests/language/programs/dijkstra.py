import math
from collections import defaultdict

graph = defaultdict(dict)
for a, b, w in [("A", "B", 4), ("A", "C", 1), ("C", "B", 2), ("B", "D", 5), ("C", "D", 8)]:
    graph[a][b] = graph[b][a] = w


def dijkstra(start):
    dist = {n: math.inf for n in graph}
    dist[start] = 0
    todo = set(graph)
    prev = {}
    while todo:
        u = min(sorted(todo), key=dist.get)
        todo.remove(u)
        for v, w in graph[u].items():
            if dist[u] + w < dist[v]:
                dist[v] = dist[u] + w
                prev[v] = u
    return dist, prev


dist, prev = dijkstra("A")
print(dist)
path, n = [], "D"
while n:
    path.append(n)
    n = prev.get(n)
print(" -> ".join(reversed(path)))
