# attack: a from-import alias
# stopped by: dunder-name
from json import dumps as __import__
print("ESCAPED")
