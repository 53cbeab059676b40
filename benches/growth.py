#!/usr/bin/env python3
"""How the time of a whole fit grows with the votes, the annotators and the items.

Each line doubles one of them again and again. Writes benches/growth.svg and prints the
figures, in seconds of all cores: other work on the machine is left out. The steps up to the
chosen time are printed too, since that depends on the votes; and, where items are doubled with
their votes, the time of a step.
"""

import pathlib

from run import engine

WITH_STEPS = "items and votes: 200 annotators, 20 votes an item"
LINES = {
    "votes: 200 annotators, 100 items": [(200, 100, each) for each in (250, 500, 1000, 2000, 4000)],
    "annotators: 250 votes each, 100 items": [(count, 100, 250) for count in (200, 400, 800, 1600, 3200)],
    "items: 200 annotators with 500 votes each": [(200, n, 500) for n in (625, 1250, 2500, 5000, 10000)],
    WITH_STEPS: [(200, n, n // 10) for n in (1250, 2500, 5000)],
}
COLOURS = ["#1b6ca8", "#c1440e", "#4a7c2f", "#7b4ea3"]
# Of a doubling.
LIMIT = 2.2


def measured():
    for label, sizes in LINES.items():
        line = []
        for annotators, items, each in sizes:
            found, _ = engine("fit", f"made-{annotators}-{items}-{each}")
            line.append(found["cores"])
            growth = f"({line[-1] / line[-2]:.2f} times)" if len(line) > 1 else "(first)"
            print(f"{label}: {annotators} annotators, {items} items, {annotators * each:,} votes: "
                  f"{found['cores']:.2f} s {growth}, {found['steps']:.0f} steps to the chosen time", flush=True)
        yield label, line
    for annotators, items, each in LINES[WITH_STEPS]:
        found, _ = engine("path", f"made-{annotators}-{items}-{each}")
        print(f"a step of the path: {items} items, {annotators * each:,} votes: {found['ours']:.0f} µs", flush=True)


def svg(lines):
    from math import log2

    width, height, left, right, top, bottom = 640, 440, 60, 20, 40, 60
    most = max(len(line) for _, line in lines) - 1
    highest = log2(max(LIMIT ** most, *(line[-1] / line[0] for _, line in lines)))

    def place(doublings, times):
        across = left + doublings / most * (width - left - right)
        return f"{across:.1f}", f"{height - bottom - log2(times) / highest * (height - top - bottom):.1f}"

    def polyline(points, **style):
        style = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
        points = " ".join(",".join(place(*point)) for point in points)
        out.append(f'<polyline points="{points}" fill="none"{style}/>')

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
           'font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>',
           f'<text x="{left}" y="20" font-size="14">Time of a whole fit with 5-fold cross-validation</text>']
    for doublings in range(most + 1):
        x, y = place(doublings, 1)
        out.append(f'<line x1="{x}" x2="{x}" y1="{top}" y2="{y}" stroke="#eee"/>')
        out.append(f'<text x="{x}" y="{float(y) + 18}" text-anchor="middle">{2 ** doublings}</text>')
    for doublings in range(int(highest) + 1):
        x, y = place(0, 2 ** doublings)
        out.append(f'<line x1="{x}" x2="{width - right}" y1="{y}" y2="{y}" stroke="#eee"/>')
        out.append(f'<text x="{float(x) - 6}" y="{float(y) + 4}" text-anchor="end">{2 ** doublings}</text>')
    out.append(f'<text x="{(left + width - right) / 2}" y="{height - 20}" text-anchor="middle">'
               'times as many as at the beginning</text>')
    out.append(f'<text transform="translate(16 {(top + height - bottom) / 2}) rotate(-90)" text-anchor="middle">'
               'times as long</text>')
    polyline([(0, 1), (most, LIMIT ** most)], stroke="#999", stroke_dasharray="4")
    for index, (label, line) in enumerate(lines):
        points = [(doublings, time / line[0]) for doublings, time in enumerate(line)]
        polyline(points, stroke=COLOURS[index], stroke_width=2)
        for x, y in (place(*point) for point in points):
            out.append(f'<circle cx="{x}" cy="{y}" r="3" fill="{COLOURS[index]}"/>')
        out.append(f'<text x="{left + 12}" y="{top + 16 + 16 * index}" fill="{COLOURS[index]}">{label}</text>')
    out.append(f'<text x="{left + 12}" y="{top + 16 + 16 * len(lines)}" fill="#777">'
               f'dashed: {LIMIT} times a doubling</text>')
    return "\n".join([*out, "</svg>", ""])


if __name__ == "__main__":
    pathlib.Path(__file__).with_name("growth.svg").write_text(svg(list(measured())))
