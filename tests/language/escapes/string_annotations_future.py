# attack: annotations stay text
# stopped by: harmless
from __future__ import annotations
def f(x: print("ESCAPED")): pass
