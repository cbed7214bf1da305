# attack: attributes through str.format
# stopped by: format
# after: CVE-2023-41039 (R2)
print("{0.__class__}".format(()), "ESCAPED")
