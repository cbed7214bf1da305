import re
from collections import defaultdict

LOG = """\
2024-01-01 10:00:00 INFO start
2024-01-01 10:00:05 ERROR db: timeout
2024-01-01 10:01:00 WARN slow
2024-01-01 10:02:00 ERROR db: refused
"""
levels = defaultdict(list)
for line in LOG.splitlines():
    date, time, level, message = line.split(" ", 3)
    levels[level].append((time, message))
for level in sorted(levels):
    print(level, len(levels[level]), levels[level])
errors = [m for _, m in levels["ERROR"]]
print(re.findall(r"db: (\w+)", " ".join(errors)))
