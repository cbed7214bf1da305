# attack: the same with globals of its own, and the real builtins
# stopped by: no-evaluation
import typing
class A:
    x: "__import__('os')"
print(typing.get_type_hints(A, {}), "ESCAPED")
