# attack: str.format as a function
# stopped by: format
print(str.format("{0.__class__}", 1), "ESCAPED")
