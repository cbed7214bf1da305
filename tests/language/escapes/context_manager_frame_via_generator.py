# attack: a frame through a generator's throw
# stopped by: internal-attribute
def g():
    try:
        yield
    except ValueError as e:
        yield e
x = g()
next(x)
e = x.throw(ValueError("v"))
print(e.with_traceback(None).tb_frame, "ESCAPED")
