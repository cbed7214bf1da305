# attack: ctypes
# stopped by: import
import ctypes
print("ESCAPED")
