class InsufficientFunds(Exception):
    def __init__(self, needed, available):
        super().__init__(f"need {needed}, have {available}")
        self.needed = needed
        self.available = available


class Account:
    _count = 0

    def __init__(self, owner, balance=0):
        self._owner = owner
        self._balance = balance
        self.__history = []
        Account._count += 1

    @property
    def balance(self):
        return self._balance

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("Deposit must be positive")
        self._balance += amount
        self.__history.append(("deposit", amount))
        return self

    def withdraw(self, amount):
        if amount > self._balance:
            raise InsufficientFunds(amount, self._balance)
        self._balance -= amount
        self.__history.append(("withdraw", amount))

    def history(self):
        return list(self.__history)

    def __repr__(self):
        return f"{self.__class__.__name__}({self._owner!r}, {self._balance})"


class Savings(Account):
    def __init__(self, owner, balance=0, rate=0.02):
        super().__init__(owner, balance)
        self.rate = rate

    def add_interest(self):
        self.deposit(round(self.balance * self.rate, 2))


a = Savings("Ann", 100)
a.deposit(50).deposit(25)
a.add_interest()
try:
    a.withdraw(1000)
except InsufficientFunds as e:
    print("error:", e, e.needed, e.available)
try:
    a.deposit(-1)
except ValueError as e:
    print("error:", e)
print(a, a.history(), Account._count)
