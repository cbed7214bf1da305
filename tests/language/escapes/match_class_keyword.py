# attack: a class pattern with a forbidden keyword
# stopped by: match-args
match 1:
    case int(__class__=c):
        print(c, "ESCAPED")
