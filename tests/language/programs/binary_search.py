def bisect_left(xs, x):
    lo, hi = 0, len(xs)
    while lo < hi:
        mid = (lo + hi) // 2
        if xs[mid] < x:
            lo = mid + 1
        else:
            hi = mid
    return lo


xs = [1, 3, 3, 5, 8, 13]
print([bisect_left(xs, v) for v in (0, 3, 4, 13, 99)])
