from collections import Counter


def huffman(text):
    heap = sorted((n, c) for c, n in Counter(text).items())
    while len(heap) > 1:
        (n1, a), (n2, b) = heap[:2]
        heap = sorted(heap[2:] + [(n1 + n2, (a, b))], key=lambda t: (t[0], str(t[1])))
    codes = {}

    def walk(t, prefix):
        if isinstance(t, str):
            codes[t] = prefix or "0"
        else:
            walk(t[0], prefix + "0")
            walk(t[1], prefix + "1")

    walk(heap[0][1], "")
    return codes


codes = huffman("abracadabra")
print(sorted(codes.items(), key=lambda kv: (len(kv[1]), kv[0])))
print(len("".join(codes[c] for c in "abracadabra")))
