from datetime import date, timedelta

year, month = 2024, 2
first = date(year, month, 1)
print(first.strftime("%B %Y").center(20))
print("Mo Tu We Th Fr Sa Su")
line = ["  "] * first.weekday()
day = first
while day.month == month:
    line.append(f"{day.day:2}")
    if len(line) == 7:
        print(" ".join(line))
        line = []
    day += timedelta(days=1)
if line:
    print(" ".join(line))
