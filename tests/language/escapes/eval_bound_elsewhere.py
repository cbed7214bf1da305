# attack: bound in another scope so that the validator lets it pass
# stopped by: no-such-name
def g():
    eval = 1
    return eval
print(eval("1"), "ESCAPED")
