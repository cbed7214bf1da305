# attack: update_wrapper on an object of the library
# stopped by: harmless
import functools, json
try:
    functools.update_wrapper(json.JSONEncoder, lambda: 0)
    print("ESCAPED")
except TypeError:
    pass
