def risky(n):
    try:
        if n == 0:
            raise ValueError("zero")
        if n == 1:
            return {}["missing"]
        if n == 2:
            return 1 / 0
        return "fine"
    except (ValueError, KeyError) as e:
        return f"{type(e).__name__}: {e}"
    else:
        return "never"
    finally:
        print("finally", n)


for n in range(4):
    try:
        print(risky(n))
    except ZeroDivisionError as e:
        print("outer", e, e.args)


class AppError(Exception):
    pass


class NotFound(AppError):
    def __init__(self, what, code=404):
        super().__init__(what, code)
        self.code = code

    def __str__(self):
        return f"{self.args[0]} ({self.code})"


try:
    try:
        raise KeyError("inner")
    except KeyError as k:
        raise NotFound("page") from k
except AppError as e:
    print(e, repr(e.__cause__), e.code, isinstance(e, Exception))
try:
    assert 1 == 2, "math broke"
except AssertionError as e:
    print("assert:", e)
try:
    int("x")
except ValueError as e:
    print(e)
try:
    [1][5]
except IndexError as e:
    print(e)
try:
    None.foo
except AttributeError as e:
    print(e)
try:
    undefined_name
except NameError as e:
    print(e)
try:
    raise StopIteration(3)
except StopIteration as e:
    print(e.value)
