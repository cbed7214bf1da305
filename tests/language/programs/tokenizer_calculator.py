import re

TOKEN = re.compile(r"\s*(?:(\d+\.?\d*)|(.))")


def tokenize(s):
    for number, op in TOKEN.findall(s):
        yield ("num", float(number)) if number else ("op", op)
    yield ("end", None)


class Parser:
    def __init__(self, text):
        self._tokens = list(tokenize(text))
        self._pos = 0

    def _peek(self):
        return self._tokens[self._pos]

    def _next(self):
        t = self._tokens[self._pos]
        self._pos += 1
        return t

    def expr(self):
        v = self.term()
        while self._peek() in (("op", "+"), ("op", "-")):
            v = v + self.term() if self._next()[1] == "+" else v - self.term()
        return v

    def term(self):
        v = self.factor()
        while self._peek() in (("op", "*"), ("op", "/")):
            v = v * self.factor() if self._next()[1] == "*" else v / self.factor()
        return v

    def factor(self):
        kind, v = self._next()
        if kind == "num":
            return v
        if v == "(":
            r = self.expr()
            if self._next() != ("op", ")"):
                raise SyntaxError("expected )")
            return r
        if v == "-":
            return -self.factor()
        raise SyntaxError(f"unexpected {v!r}")


for text in ["1 + 2 * 3", "(1+2)*3", "-4 / (2 - 4)", "2 * (3"]:
    try:
        print(text, "=", Parser(text).expr())
    except SyntaxError as e:
        print(text, "->", e)
