# attack: replacing a method of a library class
# stopped by: immutable
import json
json.JSONEncoder.default = lambda *a: 1
print("ESCAPED")
