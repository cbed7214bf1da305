xs = [5, 3, 8]
xs.append(1)
xs.extend([7, 2])
xs.insert(1, 99)
print(xs, xs.index(8), xs.count(3), xs.pop(), xs.pop(0))
xs.remove(99)
xs.sort(reverse=True)
print(xs, xs[1:3], xs[-2:], xs[::2], len(xs), 8 in xs, [0] * 3, xs + [1])
xs[1:2] = [10, 11]
del xs[0]
print(xs, sum(xs), list(map(str, xs)), list(filter(lambda v: v > 5, xs)), [*zip(xs, "abc")])
grid = [[0] * 3 for _ in range(2)]
grid[0][1] = 5
print(grid, xs.copy() == xs, [1, 2] < [1, 3], list("abc"), list(range(10, 0, -3)))
xs.clear()
print(xs or "empty", not xs)
