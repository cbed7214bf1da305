# attack: breakpoint
# stopped by: outside-name
breakpoint()
print("ESCAPED")
