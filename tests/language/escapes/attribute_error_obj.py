# attack: AttributeError.obj gives back what a guard held
# stopped by: kept-object
# after: CVE-2024-47532 (R4)
import json
try:
    json.nothing.x
except AttributeError as e:
    print(e.obj, "ESCAPED")
