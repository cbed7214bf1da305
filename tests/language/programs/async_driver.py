class Sleep:
    def __init__(self, n):
        self.n = n

    def __await__(self):
        for _ in range(self.n):
            yield
        return self.n


async def worker(name, n):
    total = 0
    for i in range(n):
        total += await Sleep(i)
    return f"{name}:{total}"


class Numbers:
    def __init__(self, n):
        self.n = n

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self.n:
            raise StopAsyncIteration
        self.n -= 1
        return self.n


async def agen():
    for i in range(3):
        yield i


async def main():
    out = [await worker("a", 3), await worker("b", 4)]
    out.append([n async for n in Numbers(3)])
    async for x in agen():
        out.append(x)
    return out


def run(coro):
    while True:
        try:
            coro.send(None)
        except StopIteration as e:
            return e.value


print(run(main()))
