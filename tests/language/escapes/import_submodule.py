# attack: a submodule that is not on the list
# stopped by: import
import json.tool
print("ESCAPED")
