from datetime import datetime, timedelta

meetings = [("standup", "09:00", 15), ("review", "09:10", 60), ("lunch", "12:00", 45), ("1:1", "11:50", 20)]
parsed = sorted(
    (datetime.strptime(f"2024-05-06 {t}", "%Y-%m-%d %H:%M"), timedelta(minutes=m), n)
    for n, t, m in meetings)
for (s1, d1, n1), (s2, d2, n2) in zip(parsed, parsed[1:]):
    if s1 + d1 > s2:
        print(f"{n1} overlaps {n2} by {int((s1 + d1 - s2).total_seconds() // 60)} min")
busy = sum((d for _, d, _ in parsed), timedelta())
print(busy, parsed[0][0].strftime("%A %d %B %Y, %I:%M %p"))
