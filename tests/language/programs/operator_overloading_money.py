class Money:
    def __init__(self, cents):
        self.cents = cents

    def __add__(self, other):
        if not isinstance(other, Money):
            return NotImplemented
        return Money(self.cents + other.cents)

    def __radd__(self, other):
        return self if other == 0 else NotImplemented

    def __lt__(self, o):
        return self.cents < o.cents

    def __format__(self, spec):
        if spec == "e":
            return f"EUR {self.cents / 100:.2f}"
        return str(self)

    def __str__(self):
        return f"{self.cents // 100}.{self.cents % 100:02}"

    def __int__(self):
        return self.cents

    def __neg__(self):
        return Money(-self.cents)

    def __call__(self, rate):
        return Money(int(self.cents * rate))


wallet = [Money(250), Money(199)]
print(sum(wallet), f"{wallet[0]:e}", "{:e}".format(wallet[1]), int(wallet[0]), -wallet[0], wallet[0](2))
print(min(wallet), [str(m) for m in sorted(wallet)])
try:
    Money(1) + 5
except TypeError as e:
    print("TypeError")
