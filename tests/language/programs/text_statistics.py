import re
from collections import Counter

text = "Call me Ishmael. Some years ago - never mind how long precisely - having little or no money in my purse, I thought I would sail about a little. It is a way I have!"
sentences = [s.strip() for s in re.split(r"[.!?]", text) if s.strip()]
words = re.findall(r"\b\w+\b", text)
vowels = Counter(c for c in text.lower() if c in "aeiou")
print(len(sentences), len(words), round(sum(map(len, words)) / len(words), 2))
print(sorted(vowels.items()), max(words, key=len), Counter(w.lower() for w in words).most_common(2))
