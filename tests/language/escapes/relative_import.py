# attack: a relative import
# stopped by: relative-import
from . import json
print("ESCAPED")
