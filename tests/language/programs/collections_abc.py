from collections.abc import Iterable, Mapping, MutableSequence, Sequence, Callable, Hashable
import collections.abc as cabc


class Deck(Sequence):
    def __init__(self, cards):
        self._cards = list(cards)

    def __getitem__(self, i):
        return self._cards[i]

    def __len__(self):
        return len(self._cards)


d = Deck("abc")
print("b" in d, d.index("c"), list(reversed(d)), d.count("a"), isinstance(d, cabc.Sequence))
print(isinstance([], Iterable), isinstance({}, Mapping), isinstance(len, Callable), isinstance([], Hashable), isinstance("", MutableSequence))


def flatten(x):
    for i in x:
        if isinstance(i, Iterable) and not isinstance(i, (str, bytes)):
            yield from flatten(i)
        else:
            yield i


print(list(flatten([1, [2, (3, "four", [5])], {6}])))
