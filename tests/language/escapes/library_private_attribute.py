# attack: a private attribute of a library class
# stopped by: private-attribute
import json
print(json.JSONEncoder._iterencode, "ESCAPED")
