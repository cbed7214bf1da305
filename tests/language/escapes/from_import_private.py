# attack: a private name by from-import
# stopped by: facade
from collections import _sys
print(_sys, "ESCAPED")
