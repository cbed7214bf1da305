# attack: the object that an AttributeError keeps, by a name made at run time
# stopped by: kept-object
import json
try:
    json.nothing
except AttributeError as e:
    print("ESCAPED", getattr(e, "o" + "bj"))
