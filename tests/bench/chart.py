"""chart - the figures of a bench as SVG, with nothing but text"""

import math

INK, GRID = "#1f2933", "#d9dee3"
# One for each column, in its order; told apart by shape of the line too.
COLOURS = ["#0b6e4f", "#2a9d8f", "#8d99a6", "#1f2933", "#5f6b76", "#3366cc",
           "#b5651d", "#a11d33", "#6b4fa0"]


def text(x, y, words, size=12, anchor="start", colour=INK):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" '
            f'text-anchor="{anchor}" fill="{colour}">{words}</text>')


def line(x1, y1, x2, y2, colour=GRID, width=1):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="{colour}" stroke-width="{width}"/>')


def svg(width, height, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{height}" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif">\n'
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n'
            + "\n".join(parts) + "\n</svg>\n")


class Log:
    """A logarithmic scale from figures to places."""

    def __init__(self, values, first, last):
        self.low = math.floor(math.log10(min(values)))
        self.high = max(self.low + 1, math.ceil(math.log10(max(values))))
        self.first, self.last = first, last

    def at(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.first + share * (self.last - self.first)

    def ticks(self):
        return [10.0 ** n for n in range(self.low, self.high + 1)]


def number(value):
    return f"{value:,.0f}" if value >= 10 else f"{value:g}"


def bars(rows, title, x, y, width):
    """p50 of one program at a time, a bar for each column."""
    scale = Log([r["p50_ms"] for r in rows], x + 130, x + width - 60)
    bottom = y + 34 + 26 * len(rows)
    parts = [text(x, y, title, 14)]
    for tick in scale.ticks():
        parts.append(line(scale.at(tick), y + 14, scale.at(tick), bottom))
        parts.append(text(scale.at(tick), bottom + 16, f"{number(tick)} ms",
                          11, "middle"))
    for i, r in enumerate(rows):
        top = y + 24 + 26 * i
        end = scale.at(r["p50_ms"])
        parts.append(text(scale.first - 8, top + 13, r["column"], 12, "end"))
        parts.append(f'<rect x="{scale.first:.1f}" y="{top}" '
                     f'width="{max(1, end - scale.first):.1f}" height="17" '
                     f'fill="{COLOURS[i % len(COLOURS)]}"/>')
        parts.append(text(end + 5, top + 13, f"{r['p50_ms']:.2f}", 11))
    return parts


def curves(names, series, title, x, y, width, height, unit):
    """A line for each name over the same x values; both axes logarithmic."""
    xs = sorted({a for points in series.values() for a, _ in points})
    ys = [b for points in series.values() for _, b in points if b > 0]
    across = Log([max(v, 0.5) for v in xs], x + 60, x + width - 130)
    up = Log(ys, y + height - 30, y + 20)
    parts = [text(x, y, title, 14)]
    for tick in up.ticks():
        parts.append(line(across.first, up.at(tick), across.last, up.at(tick)))
        parts.append(text(across.first - 6, up.at(tick) + 4, number(tick), 11,
                          "end"))
    for value in xs:
        parts.append(text(across.at(max(value, 0.5)), y + height - 12,
                          number(value), 11, "middle"))
    parts.append(text(across.last, y + height + 4, unit, 11, "end"))
    ends = []
    for i, name in enumerate(names):
        points = [(across.at(max(a, 0.5)), up.at(b))
                  for a, b in series.get(name, []) if b > 0]
        if not points:
            continue
        colour = COLOURS[i % len(COLOURS)]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        parts.append(f'<polyline points="{path}" fill="none" '
                     f'stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>'
                  for a, b in points]
        ends.append((points[-1][1], points[-1][0], name, colour))
    last = -100
    for at, a, name, colour in sorted(ends):
        last = max(at, last + 13)
        parts.append(text(across.last + 10, last + 4, name, 11, "start",
                          colour))
    return parts


def bench(result):
    rows = result["load"]
    names = list(dict.fromkeys(r["column"] for r in rows))
    one = [r for r in rows if r["workload"] == "trivial, paced"]
    series = {}
    for r in rows:
        if r["workload"] != "trivial":
            continue
        series.setdefault(r["column"], []).append(
            (r["in_flight"], r["per_second"]))
    m = result["machine"]
    top = 96 + 26 * len(one)
    parts = [text(20, 24, f"{m['cores']} cores, Linux {m['kernel']}, "
                  f"{m['date']}: a trivial program", 12)]
    parts += bars(one, "One at a time, with a pause: median, milliseconds", 20, 50, 720)
    parts += curves(names, series, "Runs a second, by calls in flight", 20,
                    top + 40, 720, 320, "calls in flight")
    return svg(760, top + 390, parts)
