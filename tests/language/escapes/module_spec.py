# attack: the spec of a module
# stopped by: dunder-attribute
import json
print(json.__spec__, "ESCAPED")
