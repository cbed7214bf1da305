# attack: notes and causes are data
# stopped by: harmless
try:
    try:
        1 / 0
    except ZeroDivisionError as a:
        a.add_note("n")
        raise ValueError("x") from a
except ValueError as e:
    assert e.__cause__.__notes__ == ["n"] and e.__context__ is e.__cause__
