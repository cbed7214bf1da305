def sieve(n):
    is_prime = [True] * (n + 1)
    is_prime[0:2] = [False, False]
    for p in range(2, int(n ** 0.5) + 1):
        if is_prime[p]:
            for m in range(p * p, n + 1, p):
                is_prime[m] = False
    return [i for i, ok in enumerate(is_prime) if ok]


primes = sieve(200)
print(len(primes), primes[-5:], sum(primes))
