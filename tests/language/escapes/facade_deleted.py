# attack: deleting from a module
# stopped by: unchangeable
import math
del math.pi
print("ESCAPED")
