# attack: functools.wraps copies the attributes it is told to
# stopped by: wraps
import functools
class Box: pass
b = Box()
functools.update_wrapper(b, lambda: 0, assigned=("__globals__",))
print("ESCAPED")
