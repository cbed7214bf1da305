# attack: typing.ForwardRef compiles and evaluates
# stopped by: facade
import typing
print(typing.ForwardRef("1")._evaluate, "ESCAPED")
