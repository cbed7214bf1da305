name, value, items = "x", 3.14159, [1, 2]
width = 10
print(f"{name=} {value:.2f} {value:{width}.1f}| {items!r} {'nested ' + name}")
print(f"{value:>{width}} {1_000_000:,} {255:b} {255:o} {255:X} {0.5:%} {-5:+}")
print(f"{{literal}} {len(items)} {'yes' if items else 'no'} {items[0]}")
print(f"""multi
line {name!s:>5}""")
d = {"k": 1}
print(f"{d['k']} {d}", f"{name!a}")
