# attack: AttributeError.obj gives back what a guard held
# stopped by: kept-object
import json
try:
    json.nothing.x
except AttributeError as e:
    print(e.obj, "ESCAPED")
