# bomb: a message that is no text
# limited by: sandbox/python/error.c
# expect: error
# error: ValueError: <the exception's text could not be made>
class A:
    def __repr__(self):
        raise ValueError
raise ValueError(A())
