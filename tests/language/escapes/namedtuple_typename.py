# attack: and from its name
# stopped by: harmless
import collections
try:
    collections.namedtuple("A:\n print('ESCAPED')", "x")
except (TypeError, ValueError):
    pass
