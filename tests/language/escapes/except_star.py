# attack: except* crashes this CPython
# stopped by: except-star
try:
    raise ExceptionGroup("x", [ValueError()])
except* ValueError:
    print("ESCAPED")
