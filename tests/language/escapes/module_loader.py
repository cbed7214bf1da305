# attack: the loader of a module
# stopped by: dunder-attribute
import json
print(json.__loader__, "ESCAPED")
