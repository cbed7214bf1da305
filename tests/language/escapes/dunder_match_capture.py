# attack: a capture pattern
# stopped by: dunder-name
match {}:
    case __builtins__:
        print("ESCAPED")
