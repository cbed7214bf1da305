# attack: a submodule of a forbidden module under an alias
# stopped by: import
import os.path as p
print(p, "ESCAPED")
