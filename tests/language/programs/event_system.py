class Event:
    def __init__(self):
        self._handlers = []

    def __iadd__(self, h):
        self._handlers.append(h)
        return self

    def __isub__(self, h):
        self._handlers.remove(h)
        return self

    def __call__(self, *a):
        return [h(*a) for h in self._handlers]


on_click = Event()
on_click += lambda x: f"first {x}"


def second(x):
    return f"second {x}"


on_click += second
print(on_click(5))
on_click -= second
print(on_click(6))
