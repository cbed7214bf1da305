rows = [("Apple", 1.5, 10), ("Banana", 0.25, 150), ("Cherry", 12.0, 3)]
head = ("Item", "Price", "Qty")
widths = [max(len(str(r[i])) for r in [head, *rows]) for i in range(3)]
line = "+".join("-" * (w + 2) for w in widths)
print(line)
print("|".join(f" {h:<{w}} " for h, w in zip(head, widths)))
print(line.replace("-", "="))
for name, price, qty in rows:
    print(f" {name:<{widths[0]}} | {price:>{widths[1]}.2f} | {qty:>{widths[2]}}")
total = sum(p * q for _, p, q in rows)
print(f"{'Total':>10}: {total:,.2f}")
