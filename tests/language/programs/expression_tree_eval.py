class Num:
    def __init__(self, v): self.v = v
    def eval(self, env): return self.v
    def __str__(self): return str(self.v)


class Var:
    def __init__(self, n): self.n = n
    def eval(self, env): return env[self.n]
    def __str__(self): return self.n


class Bin:
    def __init__(self, op, a, b): self.op, self.a, self.b = op, a, b

    def eval(self, env):
        x, y = self.a.eval(env), self.b.eval(env)
        return {"+": x + y, "*": x * y, "-": x - y}[self.op]

    def __str__(self): return f"({self.a} {self.op} {self.b})"


e = Bin("+", Num(2), Bin("*", Var("x"), Num(3)))
print(e, "=", e.eval({"x": 4}))
try:
    e.eval({})
except KeyError as err:
    print("unbound", err)
