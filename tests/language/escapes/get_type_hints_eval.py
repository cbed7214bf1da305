# attack: typing.get_type_hints evaluates text
# stopped by: no-evaluation
import typing
def f(x: "().__class__.__base__"): pass
print(typing.get_type_hints(f), "ESCAPED")
