# attack: a special method of something that is no class name
# stopped by: dunder-attribute
print([int][0].__init__, "ESCAPED")
