# attack: a brace inside an index confuses simple scanners
# stopped by: format
print("{0[}].__class__}".format({"}": 1}), "ESCAPED")
