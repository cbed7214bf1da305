n, steps = 27, 0
while n != 1:
    n = n // 2 if n % 2 == 0 else 3 * n + 1
    steps += 1
print("collatz", steps)
a, b = 1071, 462
while b:
    a, b = b, a % b
print("gcd", a)
guess, lo, hi, tries = 37, 1, 100, 0
while True:
    tries += 1
    mid = (lo + hi) // 2
    if mid == guess:
        break
    elif mid < guess:
        lo = mid + 1
    else:
        hi = mid - 1
print("found in", tries)
i = 0
while i < 10:
    i += 1
    if i % 2:
        continue
    if i > 6:
        break
    print(i, end=" ")
else:
    print("not here")
print()
