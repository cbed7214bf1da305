def caesar(text, k):
    out = []
    for ch in text:
        if ch.isalpha():
            base = ord("A") if ch.isupper() else ord("a")
            out.append(chr((ord(ch) - base + k) % 26 + base))
        else:
            out.append(ch)
    return "".join(out)


def vigenere(text, key, sign=1):
    return "".join(caesar(c, sign * (ord(key[i % len(key)]) - 97)) for i, c in enumerate(text))


secret = caesar("Hello, World!", 3)
print(secret, caesar(secret, -3))
print(vigenere("attackatdawn", "lemon"), vigenere(vigenere("attack", "key"), "key", -1))
