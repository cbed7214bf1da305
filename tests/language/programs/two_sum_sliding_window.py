def two_sum(nums, target):
    seen = {}
    for i, n in enumerate(nums):
        if target - n in seen:
            return [seen[target - n], i]
        seen[n] = i


def longest_unique(s):
    start = best = 0
    last = {}
    for i, c in enumerate(s):
        if last.get(c, -1) >= start:
            start = last[c] + 1
        last[c] = i
        best = max(best, i - start + 1)
    return best


def max_subarray(xs):
    best = cur = xs[0]
    for x in xs[1:]:
        cur = max(x, cur + x)
        best = max(best, cur)
    return best


print(two_sum([2, 7, 11, 15], 9), longest_unique("abcabcbb"), max_subarray([-2, 1, -3, 4, -1, 2, 1, -5, 4]))
