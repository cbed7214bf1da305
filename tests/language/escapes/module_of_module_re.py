# attack: re.enum
# stopped by: facade
import re
print(re.enum, "ESCAPED")
