PUZZLE = (
    "530070000600195000098000060800060003400803001"
    "700020006060000280000419005000080079")


def solve(s):
    i = s.find("0")
    if i < 0:
        return s
    r, c = divmod(i, 9)
    used = set(s[r * 9:r * 9 + 9]) | set(s[c::9])
    br, bc = r // 3 * 3, c // 3 * 3
    for k in range(3):
        used |= set(s[(br + k) * 9 + bc:(br + k) * 9 + bc + 3])
    for d in "123456789":
        if d not in used:
            t = solve(s[:i] + d + s[i + 1:])
            if t:
                return t
    return None


a = solve(PUZZLE)
for r in range(9):
    print(a[r * 9:r * 9 + 9])
