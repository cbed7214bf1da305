# attack: a dunder taken out of a module
# stopped by: dunder-name
from json import __builtins__ as b
print(b, "ESCAPED")
