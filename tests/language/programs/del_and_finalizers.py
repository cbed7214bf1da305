log = []


class Res:
    def __init__(self, n):
        self.n = n
        log.append(f"open {n}")

    def __del__(self):
        log.append(f"close {self.n}")


a = Res(1)
b = a
del a
log.append("still open")
b = None
x = [1, 2, 3]
del x[0]
print(log, x)
