# attack: the same through format_map
# stopped by: format
# after: CVE-2023-41039 (R2)
print("{x.__class__}".format_map({"x": 1}), "ESCAPED")
