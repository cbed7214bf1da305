# attack: the code object of a function
# stopped by: dunder-attribute
# and by: fence
print((lambda: 0).__code__, "ESCAPED")
