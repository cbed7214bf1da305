# attack: the pickle protocol leads to copyreg's globals
# stopped by: dunder-attribute
print((1).__reduce_ex__(2), "ESCAPED")
