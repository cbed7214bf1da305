# attack: the dictionary of a type
# stopped by: dunder-attribute
# and by: fence
# after: CVE-2026-27952, CVE-2025-49131, CVE-2024-12366 (R14)
print(str.__dict__, "ESCAPED")
