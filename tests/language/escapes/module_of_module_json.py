# attack: json.codecs
# stopped by: facade
import json
print(json.codecs, "ESCAPED")
