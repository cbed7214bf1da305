principal, rate, years = 10000, 0.05, 1
monthly = rate / 12
n = years * 12
payment = principal * monthly / (1 - (1 + monthly) ** -n)
balance = principal
print(f"payment {payment:.2f}")
for m in range(1, n + 1):
    interest = balance * monthly
    balance -= payment - interest
    if m % 4 == 0:
        print(f"{m:>3} {interest:>8.2f} {balance:>10.2f}")
