def repeat(times):
    def decorate(func):
        def wrapper(*args, **kwargs):
            return [func(*args, **kwargs) for _ in range(times)]
        wrapper.__name__ = func.__name__
        return wrapper
    return decorate


def memoize(f):
    cache = {}

    def g(n):
        if n not in cache:
            cache[n] = f(n)
        return cache[n]
    g._cache = cache
    return g


@repeat(3)
def hello(name):
    return f"hi {name}"


@memoize
def square(n):
    return n * n


print(hello("bob"), hello.__name__)
print(square(4), square(4), square._cache)
