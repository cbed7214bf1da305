from math import *
import math as m
import collections.abc
from json import dumps as to_json, loads
from re import compile as rx

print(sqrt(16), floor(2.7), m.tau == 2 * pi, isinstance([], collections.abc.Sequence))
print(to_json(loads("[1]")), rx(r"\d").findall("a1b2"))
