# attack: a ForwardRef found inside a type
# stopped by: private-attribute
import typing
r = typing.get_args(typing.List["print('ESCAPED')"])[0]
r._evaluate({}, {}, frozenset())
