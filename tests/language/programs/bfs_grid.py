from collections import deque

GRID = ["S.#.", "..#E", "...."]
R, C = len(GRID), len(GRID[0])
start = next((r, c) for r in range(R) for c in range(C) if GRID[r][c] == "S")
queue, seen = deque([(start, 0)]), {start}
while queue:
    (r, c), d = queue.popleft()
    if GRID[r][c] == "E":
        print("steps:", d)
        break
    for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
        nr, nc = r + dr, c + dc
        if 0 <= nr < R and 0 <= nc < C and GRID[nr][nc] != "#" and (nr, nc) not in seen:
            seen.add((nr, nc))
            queue.append(((nr, nc), d + 1))
else:
    print("no way")
