# attack: through super() of a str subclass
# stopped by: format
class S(str):
    def go(self, *a):
        return super().format(*a)
print(S("{0.__class__}").go(1), "ESCAPED")
