# attack: a name put together at run time
# stopped by: dunder-attribute
print(getattr((), "__cla" + "ss__"), "ESCAPED")
