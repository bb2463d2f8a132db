#!/usr/bin/python3
"""What a prompt token costs behind 4k to 128k others: perf/long_context.csv and .svg.

    perf/long_context.py BUILD_FOLDER MODEL

Runs BUILD_FOLDER/long_context (perf/long_context.cc says what it measures). About three minutes on
two cores for a slice of eight layers; nothing else should run meanwhile.
"""

import csv
import os
import subprocess
import sys

DEPTHS = [4096, 16384, 65536, 131072]
COLUMNS = ["replay", "depth", "ms_per_token", "index_scores_ms", "rest_ms", "scratch_bytes",
           "sequence_bytes", "resident_anonymous_bytes"]
LINES = [("ms_per_token", "all", "#1f5fa8"), ("rest_ms", "all but index scores", "#b5541c")]


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        fields = [line.split(":", 1) for line in file if ":" in line]
    first = {}
    for key, value in fields:
        first.setdefault(key.strip(), value.strip())
    name = first.get("model name", "unknown CPU")
    where = ", ".join(f"{key} {first[key]}" for key in ("cpu family", "model") if key in first)
    return f"{name} ({where}, {os.cpu_count()} cores)"


def measure(build, model):
    rows = []
    for replay in ("bounded", "full"):
        command = [os.path.join(build, "long_context"), model, replay, *map(str, DEPTHS)]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        rows += [dict(zip(COLUMNS, line)) for line in csv.reader(text.splitlines())]
    return rows


def write_csv(path, rows, cpu):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*COLUMNS, "cpu"])
        for row in rows:
            writer.writerow([*(row[column] for column in COLUMNS), cpu])


class Picture:
    """A chart with depth to the right and milliseconds a token upwards."""

    WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 780, 440, 60, 50, 210, 50

    def __init__(self, highest):
        self.highest = highest
        self.parts = []

    def x(self, depth):
        return self.LEFT + depth / DEPTHS[-1] * (self.WIDTH - self.LEFT - self.RIGHT)

    def y(self, milliseconds):
        share = milliseconds / self.highest
        return self.HEIGHT - self.BOTTOM - share * (self.HEIGHT - self.TOP - self.BOTTOM)

    def text(self, x, y, text, anchor="start"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>')

    def line(self, points, colour, dash=""):
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{places}" fill="none" stroke="{colour}" '
                          f'stroke-width="1.5" stroke-dasharray="{dash}"/>')

    def axes(self, title):
        self.text(self.LEFT, 22, title)
        self.text(self.LEFT, 40, "ms a prompt token; behind so many tokens:")
        for tick in range(0, int(self.highest) + 1, 5):
            self.line([(self.x(0), self.y(tick)), (self.x(DEPTHS[-1]), self.y(tick))], "#ddd")
            self.text(self.LEFT - 8, self.y(tick) + 4, str(tick), "end")
        for depth in DEPTHS:
            self.text(self.x(depth), self.HEIGHT - self.BOTTOM + 20, f"{depth // 1024}k", "middle")

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.WIDTH}" '
                f'height="{self.HEIGHT}" font-family="sans-serif" font-size="12">\n'
                f'<rect width="100%" height="100%" fill="white"/>\n'
                + "\n".join(self.parts) + "\n</svg>\n")


def draw(rows, cpu):
    highest = max(float(row["ms_per_token"]) for row in rows) * 1.1
    picture = Picture(highest)
    picture.axes(f"Prefill of a chunk of 512 tokens, {cpu}")
    for replay, dash in (("bounded", ""), ("full", "6 3")):
        chosen = [row for row in rows if row["replay"] == replay]
        for column, name, colour in LINES:
            points = [(picture.x(int(row["depth"])), picture.y(float(row[column])))
                      for row in chosen]
            picture.line(points, colour, dash)
            # The two labels of a pair of lines that end close together must not overlap.
            up = -6 if column == "ms_per_token" else 14
            picture.text(points[-1][0] + 8, points[-1][1] + up, f"{replay}: {name}")
    return picture.svg()


def main():
    build, model = sys.argv[1:]
    cpu = cpu_name()
    rows = measure(build, model)
    here = os.path.dirname(os.path.abspath(__file__))
    write_csv(os.path.join(here, "long_context.csv"), rows, cpu)
    with open(os.path.join(here, "long_context.svg"), "w", encoding="utf-8") as file:
        file.write(draw(rows, cpu))


if __name__ == "__main__":
    main()
