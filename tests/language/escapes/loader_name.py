# attack: __loader__ by name
# stopped by: dunder-name
print(__loader__, "ESCAPED")
