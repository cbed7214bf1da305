from datetime import date, timedelta


def age(born, today):
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


today = date(2024, 2, 28)
for y, m, d in [(2000, 2, 29), (1990, 1, 1), (2024, 1, 1)]:
    print(age(date(y, m, d), today))
print(today.isocalendar()[:2], today.replace(day=1), (today + timedelta(weeks=1)).isoformat(), date.fromisoformat("2023-12-31").timetuple().tm_yday)
leap = [y for y in range(1896, 1925) if y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)]
print(leap)
