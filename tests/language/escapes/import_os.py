# attack: a module that is not on the list
# stopped by: import
import os
os.system("id")
