calls = []


def lazy(f):
    name = "_lazy_" + f.__name__

    @property
    def get(self):
        if not hasattr(self, name):
            setattr(self, name, f(self))
        return getattr(self, name)
    return get


class Report:
    @lazy
    def total(self):
        calls.append(1)
        return 42


r = Report()
print(r.total, r.total, len(calls))
