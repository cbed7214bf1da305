# attack: the rest of a mapping pattern
# stopped by: dunder-name
match {}:
    case {**__builtins__}:
        print("ESCAPED")
