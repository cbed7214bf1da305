# attack: through a library class that formats for us
# stopped by: format
from collections import UserString
print(UserString("{0.__class__}").format(1), "ESCAPED")
