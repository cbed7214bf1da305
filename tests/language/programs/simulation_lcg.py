class LCG:
    def __init__(self, seed):
        self._state = seed

    def random(self):
        self._state = (1664525 * self._state + 1013904223) % 2 ** 32
        return self._state / 2 ** 32

    def randint(self, a, b):
        return a + int(self.random() * (b - a + 1))


rng = LCG(42)
inside = sum(1 for _ in range(5000) if rng.random() ** 2 + rng.random() ** 2 <= 1)
print("pi ~", 4 * inside / 5000)
rolls = [rng.randint(1, 6) + rng.randint(1, 6) for _ in range(1000)]
for t in range(2, 13):
    print(f"{t:2} {'#' * (rolls.count(t) // 10)}")
