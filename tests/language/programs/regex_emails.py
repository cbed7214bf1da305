import re

text = "Contact: bob@example.com, alice.smith@test.co.uk; bad@, @no.com"
pattern = re.compile(r"(?P<user>[\w.]+)@(?P<host>[\w.]+\.\w+)")
for m in pattern.finditer(text):
    print(m.group("user"), m["host"], m.span(), m.groupdict())
print(pattern.sub(r"<\g<user> at \g<host>>", text))
print(re.split(r"[,;]\s*", text))
print(re.sub(r"\d+", lambda m: str(int(m.group()) * 2), "a1b22c333"))
