def run():
    for i in range(10):
        print(i)
        if i == 2:
            raise SystemExit
    print("never")


try:
    run()
except SystemExit as e:
    print("exit", e.code)
