# attack: the type of a facade cannot be instantiated or subclassed
# stopped by: harmless
import json
t = type(json)
for attempt in (lambda: t("x"), lambda: type("M", (t,), {})):
    try:
        attempt()
        print("ESCAPED")
    except TypeError:
        pass
