# attack: an as pattern
# stopped by: dunder-name
match 1:
    case int() as __builtins__:
        print("ESCAPED")
