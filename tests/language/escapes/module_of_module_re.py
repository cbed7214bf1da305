# attack: re.enum
# stopped by: facade
# after: CVE-2021-32633, CVE-2021-32674, CVE-2021-32811 (R1)
import re
print(re.enum, "ESCAPED")
