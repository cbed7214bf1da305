# attack: from-import of a module not on the list
# stopped by: import
from sys import modules
print(modules, "ESCAPED")
