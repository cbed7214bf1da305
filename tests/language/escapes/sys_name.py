# attack: sys without importing it
# stopped by: outside-name
print(sys.modules, "ESCAPED")
