# attack: a private attribute through str.format
# stopped by: format
import collections
print("{0._keep_positive}".format(collections.Counter), "ESCAPED")
