class Temperature:
    def __init__(self, celsius=0.0):
        self.celsius = celsius

    @property
    def celsius(self):
        return self._c

    @celsius.setter
    def celsius(self, v):
        if v < -273.15:
            raise ValueError("below absolute zero")
        self._c = v

    @celsius.deleter
    def celsius(self):
        self._c = 0.0

    @property
    def fahrenheit(self):
        return self._c * 9 / 5 + 32

    @staticmethod
    def is_valid(v):
        return v >= -273.15

    @classmethod
    def from_f(cls, f):
        return cls((f - 32) * 5 / 9)


t = Temperature(25)
print(t.fahrenheit, Temperature.from_f(212).celsius, Temperature.is_valid(-300))
t.celsius = 30
try:
    t.celsius = -500
except ValueError as e:
    print(e)
try:
    t.fahrenheit = 3
except AttributeError:
    print("read only")
del t.celsius
print(t.celsius)
