# attack: a relative import from a parent
# stopped by: relative-import
from ..json import dumps
print("ESCAPED")
