# attack: locals
# stopped by: outside-name
# after: CVE-2026-27952, CVE-2025-49131, CVE-2024-12366 (R14)
print(locals(), "ESCAPED")
