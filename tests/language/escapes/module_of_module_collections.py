# attack: collections._sys
# stopped by: private-attribute
import collections
print(collections._sys, "ESCAPED")
