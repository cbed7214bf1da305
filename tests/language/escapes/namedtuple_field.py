# attack: namedtuple builds source text from its fields
# stopped by: harmless
import collections
class S(str):
    def isidentifier(self): return True
    def __str__(self): return self
try:
    collections.namedtuple("A", [S("x=print('ESCAPED')")])
except (TypeError, ValueError):
    pass
