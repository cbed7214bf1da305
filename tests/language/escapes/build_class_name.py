# attack: __build_class__ by name
# stopped by: dunder-name
print(__build_class__, "ESCAPED")
