# An error with a cause, notes, frames that repeat, and source lines
import functools
import re


class Bad(Exception):
    def __str__(self):
        return "bad " + "text" * 3


def deep(n):
    if n == 0:
        raise Bad(1, "two")
    return deep(n - 1)


def middle():
    try:
        deep(6)
    except Bad as e:
        raise KeyError("outer") from e


@functools.lru_cache
def cached():
    return re.sub("a", lambda m: middle(), "a")


print("before", sep="", end="\n", flush=True)
try:
    cached()
except KeyError as e:
    print(repr(e), str(e.__cause__))
cached()
