# attack: storing a private attribute on a library object
# stopped by: private-attribute
import re
p = re.compile("x")
p._x = 1
print("ESCAPED")
