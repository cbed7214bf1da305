# attack: the dictionary of a module
# stopped by: dunder-attribute
import math
print(math.__dict__, "ESCAPED")
