# attack: inside an f-string
# stopped by: outside-name
print(f"{eval('1')} ESCAPED")
