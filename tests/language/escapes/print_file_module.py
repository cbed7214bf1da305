# attack: print writes to what has a write method, nothing else
# stopped by: harmless
import json
try:
    print("x", file=json)
    print("ESCAPED")
except AttributeError:
    pass
