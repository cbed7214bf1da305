# attack: collections._sys
# stopped by: private-attribute
# after: CVE-2021-32633, CVE-2021-32674, CVE-2021-32811 (R1)
import collections
print(collections._sys, "ESCAPED")
