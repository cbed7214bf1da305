# attack: the method by getattr
# stopped by: format
print(getattr("{0.__class__}", "format")(1), "ESCAPED")
