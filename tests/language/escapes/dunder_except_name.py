# attack: the name of a handler
# stopped by: dunder-name
try:
    1 / 0
except ZeroDivisionError as __builtins__:
    pass
print("ESCAPED")
