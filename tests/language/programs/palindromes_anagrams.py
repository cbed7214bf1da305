def is_palindrome(s):
    t = [c.lower() for c in s if c.isalnum()]
    return t == t[::-1]


print(is_palindrome("A man, a plan, a canal: Panama"), is_palindrome("hello"))
groups = {}
for w in ["eat", "tea", "tan", "ate", "nat", "bat"]:
    groups.setdefault("".join(sorted(w)), []).append(w)
print(sorted(groups.values()))
