# attack: json.codecs
# stopped by: facade
# after: CVE-2025-5120 (R1)
import json
print(json.codecs, "ESCAPED")
