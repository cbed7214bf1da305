# bomb: a message that never ends
# limited by: sandbox/python/error.c
# expect: error
# error: E: <the exception's text could not be made>
class E(Exception):
    def __str__(self):
        while True:
            pass
raise E()
