import json
from datetime import date, datetime


class Encoder(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, (date, datetime)):
            return o.isoformat()
        if isinstance(o, set):
            return sorted(o)
        return super().default(o)


print(json.dumps({"d": date(2024, 2, 29), "s": {3, 1, 2}}, cls=Encoder))
print(json.dumps({"c": 1 + 2j}, default=lambda o: [o.real, o.imag]))
try:
    json.dumps({"f": print}, cls=Encoder)
except TypeError as e:
    print("TypeError:", str(e)[:30])
