from datetime import datetime, timezone, timedelta

utc = datetime(2024, 6, 1, 12, tzinfo=timezone.utc)
tz = timezone(timedelta(hours=5, minutes=30), "IST")
print(utc.astimezone(tz), tz.tzname(None))
print(datetime.fromisoformat("2024-06-01T12:00:00+02:00").astimezone(timezone.utc))
print(utc.timestamp(), datetime.fromtimestamp(0, timezone.utc))
