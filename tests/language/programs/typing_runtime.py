from typing import List, Dict, Optional, Union, get_args, get_origin, Literal, Final, TypedDict, cast

print(get_origin(List[int]) is list, get_args(Dict[str, int]) == (str, int), Optional[int] == Union[int, None])


class Movie(TypedDict, total=False):
    name: str
    year: int


m: Movie = {"name": "x"}
MAX: Final = 10
Mode = Literal["r", "w"]
print(m, MAX, get_args(Mode), cast(int, "3"), list[int], dict[str, int] | None)
