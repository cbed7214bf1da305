def flatten(x):
    out = []
    for i in x:
        if hasattr(i, "__iter__") and not isinstance(i, str):
            out.extend(flatten(i))
        else:
            out.append(i)
    return out


print(flatten([1, [2, [3, "ab"]], (4, 5)]))
print(hasattr(5, "__len__"), hasattr([], "__len__"), hasattr(print, "__call__"), callable(print))
