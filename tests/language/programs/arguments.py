def f(a, b=2, /, c=3, *args, d, e=5, **kwargs):
    return a, b, c, args, d, e, sorted(kwargs.items())


print(f(1, d=4))
print(f(1, 2, 3, 4, 5, d=6, z=7))
args, kw = (1, 2), {"d": 0, "q": 9}
print(f(*args, **kw))
try:
    f(1)
except TypeError as e:
    print(str(e).replace("f() ", ""))
print((lambda *a, **k: (a, k))(1, x=2))
