# attack: except* crashes this CPython
# stopped by: except-star
# after: CVE-2025-22153 (R6)
try:
    raise ExceptionGroup("x", [ValueError()])
except* ValueError:
    print("ESCAPED")
