# attack: a format string fails on its way; the exception tells how far it came
# stopped by: format
# after: CVE-2026-0863, CVE-2026-25115, CVE-2026-27494, CVE-2026-49444 (R2, R4)
try:
    "{0.__init__.__globals__.x}".format(print)
except AttributeError as e:
    if "__init__" not in str(e):
        print("ESCAPED", e)
    raise
