from collections import Counter
import re

text = """It was the best of times, it was the worst of times,
it was the age of wisdom, it was the age of foolishness"""
words = re.findall(r"[a-z]+", text.lower())
counts = Counter(words)
for word, n in sorted(counts.items(), key=lambda kv: (-kv[1], kv[0])):
    print(f"{word:<12}{n:>3}")
print(counts.most_common(3))
