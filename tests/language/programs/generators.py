def countdown(n):
    while n:
        got = yield n
        if got:
            n = got
        else:
            n -= 1
    return "done"


def outer():
    result = yield from countdown(2)
    print("inner said", result)
    yield "last"


g = countdown(5)
print(next(g), g.send(3), next(g))
g.close()
print(list(outer()))
squares = (x * x for x in range(5))
print(sum(squares), list(squares))


def chunks(seq, n):
    for i in range(0, len(seq), n):
        yield seq[i:i + n]


print(list(chunks("abcdefg", 3)))
