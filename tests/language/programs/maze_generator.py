W = H = 5
state = 12345


def rnd(n):
    global state
    state = (state * 1103515245 + 12345) % 2 ** 31
    return state // 65536 % n


seen, stack, doors = {(0, 0)}, [(0, 0)], set()
while stack:
    x, y = stack[-1]
    near = [(x + dx, y + dy) for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))
            if 0 <= x + dx < W and 0 <= y + dy < H and (x + dx, y + dy) not in seen]
    if not near:
        stack.pop()
        continue
    nxt = near[rnd(len(near))]
    doors.add(frozenset([(x, y), nxt]))
    seen.add(nxt)
    stack.append(nxt)
for y in range(H):
    print("|" + "".join(" " + (" " if frozenset([(x, y), (x + 1, y)]) in doors else "|") for x in range(W)))
print(len(doors))
