# attack: import * brings only public names
# stopped by: no-such-name
from json import *
print(codecs, "ESCAPED")
