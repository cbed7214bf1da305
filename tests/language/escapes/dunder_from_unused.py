# attack: take a special name out of a module that may be imported
# stopped by: dunder-name
from json import __builtins__
