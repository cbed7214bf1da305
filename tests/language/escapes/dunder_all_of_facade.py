# attack: names of a facade
# stopped by: dunder-attribute
import json
print(json.__all__, "ESCAPED")
