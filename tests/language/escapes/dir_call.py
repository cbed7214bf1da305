# attack: dir
# stopped by: outside-name
print(dir(()), "ESCAPED")
