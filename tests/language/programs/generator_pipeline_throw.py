def worker():
    while True:
        try:
            x = yield
            print("got", x)
        except ValueError as e:
            print("handled", e)
        except GeneratorExit:
            print("closing")
            raise


w = worker()
next(w)
w.send(1)
w.throw(ValueError("bad"))
w.send(2)
w.close()
try:
    w.send(3)
except StopIteration:
    print("finished")
