# attack: the target of a comprehension
# stopped by: dunder-name
print([__x__ for __x__ in [1]], "ESCAPED")
