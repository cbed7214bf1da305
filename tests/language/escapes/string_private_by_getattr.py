# attack: the same by getattr
# stopped by: private-attribute
import collections
print(getattr(collections.Counter, "_keep_positive"), "ESCAPED")
