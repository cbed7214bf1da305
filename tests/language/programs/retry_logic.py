attempts = []


def flaky():
    attempts.append(1)
    if len(attempts) < 3:
        raise ConnectionError(f"attempt {len(attempts)} failed")
    return "ok"


def retry(fn, times, errors=(Exception,)):
    last = None
    for i in range(times):
        try:
            return fn()
        except errors as e:
            last = e
            print("retrying:", e)
    raise RuntimeError("gave up") from last


print(retry(flaky, 5, (ConnectionError, TimeoutError)))
try:
    retry(lambda: 1 / 0, 2)
except RuntimeError as e:
    print(e, type(e.__cause__).__name__)
