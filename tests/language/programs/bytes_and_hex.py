data = b"Hello\x00\xff"
print(data.hex(), list(data[:3]), data[0], bytes(3), bytearray(b"ab") + b"c")
ba = bytearray(b"hello")
ba[0] = ord("J")
ba.append(33)
print(ba.decode(), b"a,b".split(b","), b"x" * 3, data.find(b"\x00"))
checksum = 0
for b in data:
    checksum = (checksum * 31 + b) & 0xFFFFFFFF
print(f"{checksum:08x}")
print("naïve café".encode("ascii", "ignore"), "é".encode("ascii", "backslashreplace"))
mv = memoryview(b"abcdef")[1:4]
print(bytes(mv), len(mv))
