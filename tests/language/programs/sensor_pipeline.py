def read():
    for i, v in enumerate([21.5, 21.7, None, 55.0, 22.1, 22.0, None, 21.9]):
        yield {"t": i, "v": v}


def clean(rows):
    for r in rows:
        if r["v"] is not None:
            yield r


def smooth(rows, k=3):
    window = []
    for r in rows:
        window = (window + [r["v"]])[-k:]
        yield {**r, "avg": round(sum(window) / len(window), 2)}


def alerts(rows, limit):
    return [r for r in rows if r["v"] > limit]


rows = list(smooth(clean(read())))
for r in rows:
    print(r)
print("alerts:", alerts(rows, 30))
