from collections import defaultdict

words = "the cat sat on the mat and the cat ate the rat".split()
chain = defaultdict(list)
for a, b in zip(words, words[1:]):
    chain[a].append(b)
state, w, out = 7, "the", ["the"]
for _ in range(8):
    nxt = chain.get(w)
    if not nxt:
        break
    state = (state * 31 + 11) % 97
    w = nxt[state % len(nxt)]
    out.append(w)
print(" ".join(out), dict(chain)["the"])
