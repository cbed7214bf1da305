s = "naïve Ω 日本 🎉"
print(len(s), s.upper(), [hex(ord(c)) for c in s if ord(c) > 255], s.encode().hex()[:20])
print("\N{GREEK SMALL LETTER ALPHA}", "\u03b1", chr(0x1F600), ascii("é"), repr("tab\t"))
größe = 3
print(größe * 2, "Straße".casefold(), "日本語"[::-1])
for name in ("latin-1", "utf-16", "cp1252", "utf-8-sig", "shift_jis"):
    try:
        print(name, "é".encode(name))
    except UnicodeEncodeError as e:
        print(name, "cannot encode", e.object)
