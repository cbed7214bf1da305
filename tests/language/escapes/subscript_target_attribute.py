# attack: an attribute in the target of an assignment
# stopped by: dunder-attribute
(lambda: 0).__globals__["x"] = 1
print("ESCAPED")
