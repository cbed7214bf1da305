# attack: IMPORT_FROM falls back to sys.modules
# stopped by: facade
from json import scanner
print(scanner, "ESCAPED")
