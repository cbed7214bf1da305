# attack: in a starred argument
# stopped by: dunder-attribute
print(*[().__class__], "ESCAPED")
