# bomb: a program that asks again and again for what it does not get
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
x = []
while True:
    try:
        x.append(bytearray(10 ** 6))
    except MemoryError:
        pass
