# attack: replacing a function of a module
# stopped by: unchangeable
import json
json.dumps = lambda *a: "ESCAPED"
print(json.dumps(1))
