def to_base(n, base):
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    if n == 0:
        return "0"
    out = []
    while n:
        n, r = divmod(n, base)
        out.append(digits[r])
    return "".join(reversed(out))


print(to_base(255, 16), to_base(10, 2), int("zz", 36), bin(10), oct(64), hex(255), int("0xff", 16))
print(bytes([72, 105]).decode(), "é".encode("utf-8"), (1024).to_bytes(2, "big"), int.from_bytes(b"\x01\x00", "little"))
print("héllo".encode("latin-1"), b"caf\xe9".decode("cp1252"), "€".encode("utf-16-le"), bytes.fromhex("00ff").hex())
