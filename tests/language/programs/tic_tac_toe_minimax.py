LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def winner(b):
    for x, y, z in LINES:
        if b[x] != " " and b[x] == b[y] == b[z]:
            return b[x]
    return "draw" if " " not in b else None


def minimax(b, me, turn, memo={}):
    key = (b, me, turn)
    if key in memo:
        return memo[key]
    w = winner(b)
    if w:
        return (0 if w == "draw" else 1 if w == me else -1), None
    best = None
    for i, c in enumerate(b):
        if c == " ":
            score, _ = minimax(b[:i] + turn + b[i + 1:], me, "O" if turn == "X" else "X")
            if best is None or (score > best[0] if turn == me else score < best[0]):
                best = score, i
    memo[key] = best
    return best


print(minimax("X O  O  X", "X", "X"), minimax("XX OO    ", "X", "X"))
