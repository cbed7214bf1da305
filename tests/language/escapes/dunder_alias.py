# attack: an import alias
# stopped by: dunder-name
import json as __builtins__
print("ESCAPED")
