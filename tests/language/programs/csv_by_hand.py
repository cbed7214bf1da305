DATA = """name,age,city
Ann,30,Oslo
Bob,25,Rome
Cid,35,Oslo"""
lines = DATA.strip().split("\n")
header = lines[0].split(",")
rows = [dict(zip(header, l.split(","))) for l in lines[1:]]
for r in rows:
    r["age"] = int(r["age"])
print(rows)
by_city = {}
for r in rows:
    by_city.setdefault(r["city"], []).append(r["age"])
for city, ages in sorted(by_city.items()):
    print(city, sum(ages) / len(ages), max(ages))
