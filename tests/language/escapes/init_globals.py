# attack: the classic: a method of a Python class and its globals
# stopped by: dunder-attribute
import json
print(json.JSONEncoder.__init__.__globals__, "ESCAPED")
