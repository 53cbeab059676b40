#!/usr/bin/env python3
"""How the time of a whole fit grows with the votes, the annotators and the items.

Each line doubles one of them. Writes benches/growth.svg and prints the figures, in
seconds of all cores: other work on the machine is left out.
"""

import pathlib

from run import engine

LINES = {
    "votes, 200 annotators, 100 items": [(200, 100, each) for each in (250, 500, 1000, 2000, 4000)],
    "annotators with 250 votes each, 100 items": [(count, 100, 250) for count in (200, 400, 800, 1600)],
    "items and votes, 200 annotators, 20 votes an item": [(200, n, n // 10) for n in (1250, 2500, 5000)],
}
COLOURS = ["#1b6ca8", "#c1440e", "#4a7c2f"]


def measured():
    for label, sizes in LINES.items():
        line = []
        for annotators, items, each in sizes:
            found, _ = engine("fit", f"made-{annotators}-{items}-{each}")
            line.append((annotators * each, found["cores"]))
            growth = f"{line[-1][1] / line[-2][1]:.2f} times" if len(line) > 1 else ""
            print(f"{label}: {annotators} annotators, {items} items, {annotators * each:,} votes: "
                  f"{found['cores']:.2f} s {growth}", flush=True)
        yield label, line


def svg(lines):
    from math import log10

    width, height, left, top = 640, 420, 70, 30
    points = [point for _, line in lines for point in line]
    low_x, high_x = min(log10(x) for x, _ in points), max(log10(x) for x, _ in points)
    low_y, high_y = min(log10(y) for _, y in points), max(log10(y) for _, y in points)
    low_x, high_x, low_y, high_y = low_x - 0.1, high_x + 0.1, low_y - 0.15, high_y + 0.15

    def place(x, y):
        across = (log10(x) - low_x) / (high_x - low_x) * (width - left - 20)
        up = (log10(y) - low_y) / (high_y - low_y) * (height - top - 60)
        return f"{left + across:.1f},{height - 60 - up:.1f}"

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
           'font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>',
           f'<text x="{left}" y="18" font-size="14">Time of a whole fit with 5-fold cross-validation</text>']
    ticks_x = [value for power in range(2, 9) for value in (10**power, 3 * 10**power)]
    for value in (v for v in ticks_x if low_x <= log10(v) <= high_x):
        x, y = place(value, 10**low_y).split(",")
        out.append(f'<line x1="{x}" x2="{x}" y1="{top}" y2="{y}" stroke="#eee"/>')
        out.append(f'<text x="{x}" y="{float(y) + 16}" text-anchor="middle">{value:,}</text>')
    ticks_y = [value * 10.0**power for power in range(-3, 4) for value in (1, 3)]
    for value in (v for v in ticks_y if low_y <= log10(v) <= high_y):
        x, y = place(10**low_x, value).split(",")
        out.append(f'<line x1="{x}" x2="{width - 20}" y1="{y}" y2="{y}" stroke="#eee"/>')
        out.append(f'<text x="{float(x) - 6}" y="{float(y) + 4}" text-anchor="end">{value:g} s</text>')
    out.append(f'<text x="{(left + width) / 2}" y="{height - 24}" text-anchor="middle">votes</text>')
    for index, (label, line) in enumerate(lines):
        colour = COLOURS[index]
        path = " ".join(place(x, y) for x, y in line)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for x, y in line:
            cx, cy = place(x, y).split(",")
            out.append(f'<circle cx="{cx}" cy="{cy}" r="3" fill="{colour}"/>')
        out.append(f'<text x="{left + 12}" y="{top + 16 + 16 * index}" fill="{colour}">{label}</text>')
    # What twice as much for twice the time looks like.
    x, y = points[0]
    out.append(f'<polyline points="{place(x, y)} {place(4 * x, 4 * y)}" stroke="#999" stroke-dasharray="4"/>')
    return "\n".join([*out, "</svg>", ""])


if __name__ == "__main__":
    pathlib.Path(__file__).with_name("growth.svg").write_text(svg(list(measured())))
