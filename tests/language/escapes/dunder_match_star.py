# attack: a star pattern
# stopped by: dunder-name
match [1]:
    case [*__builtins__]:
        print("ESCAPED")
