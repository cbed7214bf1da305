# attack: typing.sys
# stopped by: facade
# after: CVE-2021-32633, CVE-2021-32674, CVE-2021-32811 (R1)
import typing
print(typing.sys.modules, "ESCAPED")
