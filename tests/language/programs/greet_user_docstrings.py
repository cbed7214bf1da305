def greet(name: str = "you", *, loud: bool = False) -> str:
    """Say hello.

    >>> greet("x")
    """
    text = f"Hello, {name}"
    return text.upper() + "!" if loud else text


print(greet(), greet("Ann", loud=True))
print(greet.__doc__.splitlines()[0], greet.__name__, greet.__qualname__)


class Doc:
    """A class."""

    class Inner:
        def m(self):
            pass


print(Doc.__doc__, Doc.__name__, Doc.Inner.__qualname__, Doc.Inner.m.__qualname__)
