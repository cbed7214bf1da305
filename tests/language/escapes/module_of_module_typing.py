# attack: typing.sys
# stopped by: facade
import typing
print(typing.sys.modules, "ESCAPED")
