print("a", "b", sep="-", end="!\n")
print(*[1, 2, 3], sep=", ")
print()
print("no newline", end="")
print("", None, True, 3.0, [1, "x"], ("t",), {"k": {1}}, sep="|")
print("x" * 3, "tab\there", "quote'\"", r"raw\n", sep="\n")


class Out:
    def __init__(self):
        self.text = ""

    def write(self, s):
        self.text += s

    def flush(self):
        self.text += '<flushed>'


o = Out()
print("to", "object", file=o, flush=True)
print(repr(o.text))
try:
    print("x", sep=1)
except TypeError as e:
    print(e)
