from __future__ import annotations

from typing import Any, Callable, Dict, Generic, List, Optional, Protocol, Tuple, TypeVar, Union

T = TypeVar("T")


class Stack(Generic[T]):
    def __init__(self) -> None:
        self._items: List[T] = []

    def push(self, item: T) -> None:
        self._items.append(item)

    def pop(self) -> Optional[T]:
        return self._items.pop() if self._items else None


class Speaker(Protocol):
    def speak(self) -> str: ...


class Dog:
    def speak(self) -> str:
        return "woof"


def talk(s: Speaker, times: int = 2) -> List[str]:
    return [s.speak() for _ in range(times)]


def apply(f: Callable[[int], int], xs: Tuple[int, ...]) -> Dict[int, int]:
    return {x: f(x) for x in xs}


s: Stack[int] = Stack()
s.push(1)
print(s.pop(), s.pop(), talk(Dog()), apply(lambda x: x * 2, (1, 2)))
value: Union[int, str, None] = None
anything: Any = 3
print(value, anything)
