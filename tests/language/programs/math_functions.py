import math

print(math.sqrt(2), math.pi, math.e, math.floor(-2.5), math.ceil(2.1), math.trunc(-2.7))
print(math.sin(math.pi / 2), round(math.log(100, 10), 6), math.log2(8), math.degrees(math.pi))
print(math.isclose(0.1 + 0.2, 0.3), math.fsum([0.1] * 10), math.prod([1, 2, 3]), math.dist((0, 0), (3, 4)))
print(math.inf > 10 ** 300, math.isnan(float("nan")), math.copysign(1, -0.0), math.modf(3.25))
print(round(2.5), round(3.14159, 2), divmod(-7, 2), abs(-3 + 4j), 7 // -2, -7 % 3, 0.1 + 0.2)
