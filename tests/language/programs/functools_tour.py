from functools import reduce, partial, total_ordering, wraps, cmp_to_key


@total_ordering
class Version:
    def __init__(self, text):
        self.parts = tuple(map(int, text.split(".")))

    def __eq__(self, o):
        return self.parts == o.parts

    def __lt__(self, o):
        return self.parts < o.parts


print(Version("1.10") > Version("1.9"), Version("2.0") >= Version("2.0"))
print(reduce(lambda a, b: a * b, range(1, 6)))
double = partial(pow, exp=2)
print(double(5), partial(int, base=2)("1011"))
print(sorted(["b", "A", "c"], key=cmp_to_key(lambda a, b: (a.lower() > b.lower()) - (a.lower() < b.lower()))))


def logged(f):
    @wraps(f)
    def inner(*args, **kwargs):
        print("calling", f.__name__, args, kwargs)
        return f(*args, **kwargs)
    return inner


@logged
def add(a, b=1):
    """Add."""
    return a + b


print(add(2, b=3), add.__name__, add.__doc__)
