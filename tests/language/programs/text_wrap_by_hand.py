def wrap(text, width):
    lines, line = [], ""
    for word in text.split():
        if len(line) + len(word) + bool(line) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return lines + [line] if line else lines


for l in wrap("The quick brown fox jumps over the lazy dog near the river bank", 20):
    print(f"|{l:<20}|")
