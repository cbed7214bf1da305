from datetime import datetime, timedelta, date

d = datetime(2024, 1, 31, 23, 59)
print(d.strftime("%Y-%m-%d %H:%M"), d.isoformat(), d.weekday())
print((d + timedelta(days=1)).date())
print(datetime.strptime("2024-03-15 08:30", "%Y-%m-%d %H:%M"))
print((date(2024, 12, 25) - date(2024, 1, 1)).days)
for i in range(3):
    print((date(2024, 2, 27) + timedelta(days=i)).strftime("%a %d %b"))
print(f"{d:%d/%m/%y}", timedelta(hours=25, minutes=3))
