# attack: open
# stopped by: outside-name
print(open("/etc/passwd").read(), "ESCAPED")
