#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the results of `zwang bench --peers --json` and puts them into the documentation.

    tools/plot_benchmarks.py docs/benchmarks/DATE.json.gz [--page docs/benchmarks.md] [--block results]

The results may also be plain JSON. Writes DATE.svg beside them: a bar per robot, algorithm and mode, from 1 (as fast as Pinocchio) to
the ratio, and costs per joint of chains. Between the marks `<!-- results -->` and `<!-- end of results -->` of the page, or those of
another block, it writes the picture and the tables. A block of some algorithms has no picture.
Python's own library is all it needs.
"""
import argparse
import gzip
import html
import json
import math
import pathlib
import re

PEER = "pinocchio"
COLOURS = {("single", "double"): "#3b6ea5", ("batch", "double"): "#d08a2e", ("batch", "float"): "#4f9a5b"}
OTHER_COLOUR = "#8d6aa8"
TICKS = [0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128]


def mode_of(row):
    """What distinguishes rows of one algorithm: threads beyond one count, too."""
    return row["mode"], row["scalar"], row["threads"]


def name_of(mode):
    words = "single" if mode[0] == "single" else f"batch {mode[1]}"
    return words if mode[2] == 1 else f"{words}, {mode[2]} threads"


def ordered(values):
    return list(dict.fromkeys(values))


class Svg:
    """A picture as text: y grows downwards, units are pixels."""

    def __init__(self, width):
        self.width, self.parts = width, []

    def text(self, x, y, words, size=11, anchor="start", colour="#333", weight="normal"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}" '
                          f'font-weight="{weight}">{html.escape(words)}</text>')

    def box(self, x, y, width, height, colour):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" height="{height:.1f}" fill="{colour}"/>')

    def line(self, points, colour="#ccc", width=1.0, dashes=""):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dashed}/>')

    def document(self, height):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{height:.0f}" '
                f'viewBox="0 0 {self.width} {height:.0f}" font-family="sans-serif">\n'
                f'<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def peer_rows(rows):
    return [r for r in rows if r.get("peer", "").startswith(PEER) and r.get("ratio")]


def draw_ratios(svg, rows, top):
    """A panel per robot, a group of bars per algorithm; returns where it ends."""
    robots, algorithms = ordered(r["robot"] for r in rows), ordered(r["algorithm"] for r in rows)
    modes = ordered(mode_of(r) for r in rows)
    x_labels, bar, gap = 112, 9, 7
    panel = (svg.width - x_labels - 20) / len(robots)
    smallest, largest = min(r["ratio"] for r in rows), max(r["ratio"] for r in rows)
    low, high = math.log2(min(0.5, smallest / 1.2)), math.log2(max(4.0, largest * 1.7))
    group = bar * len(modes) + gap
    bottom = top + 18 + group * len(algorithms)
    for p, robot in enumerate(robots):
        left = x_labels + p * panel

        def at(ratio, left=left):
            return left + 6 + (panel - 18) * (math.log2(ratio) - low) / (high - low)

        svg.text(left + panel / 2, top, robot, 13, "middle", weight="bold")
        for tick in TICKS:
            if low < math.log2(tick) < high:
                svg.line([(at(tick), top + 10), (at(tick), bottom)], "#888" if tick == 1 else "#e4e4e4")
                svg.text(at(tick), bottom + 12, f"{tick:g}×", 9, "middle", "#777")
        for k, algorithm in enumerate(algorithms):
            y = top + 18 + k * group
            if p == 0:
                svg.text(x_labels - 6, y + bar * len(modes) / 2 + 4, algorithm, 11, "end")
            for m, mode in enumerate(modes):
                for r in rows:
                    if (r["robot"], r["algorithm"], mode_of(r)) != (robot, algorithm, mode):
                        continue
                    x0, x1 = sorted((at(1), at(r["ratio"])))
                    svg.box(x0, y + m * bar, x1 - x0, bar - 1, COLOURS.get(mode[:2], OTHER_COLOUR))
                    svg.text(x1 + 3, y + m * bar + bar - 2, f'{r["ratio"]:.1f}', 9, colour="#555")
    x = x_labels
    for mode in modes:
        svg.box(x, bottom + 24, 10, 10, COLOURS.get(mode[:2], OTHER_COLOUR))
        svg.text(x + 14, bottom + 33, name_of(mode), 10)
        x += 40 + 7 * len(name_of(mode))
    return bottom + 44


def draw_growth(svg, rows, top):
    """Costs per joint of chains over their length, zwang's and the peer's, as curves."""
    chains = [r for r in rows if r["family"] == "chain" and r["algorithm"] in ("rnea", "aba", "constrained")
              and r.get("peer", PEER).startswith(PEER)]
    if not chains:
        return top
    algorithms = ordered(r["algorithm"] for r in chains)
    width, height = (svg.width - 60) / len(algorithms), 130
    svg.text(20, top + 8, "chains: ns per joint over the number of joints (thin: Pinocchio)", 12, weight="bold")
    for k, algorithm in enumerate(algorithms):
        mine = sorted((r for r in chains if r["algorithm"] == algorithm), key=lambda r: r["joints"])
        most = max(max(r["ns_per_joint"], r.get("peer_ns") and r["peer_ns"] / r["joints"] or 0) for r in mine) * 1.15
        left, base = 50 + k * width, top + 40 + height

        def at(joints, value, left=left, base=base, most=most):
            return left + (width - 40) * (math.log10(joints) - 1) / 2.1, base - height * value / most

        svg.text(left + (width - 40) / 2, top + 30, algorithm, 11, "middle")
        svg.line([at(10, most), at(10, 0), at(1000, 0)], "#888")
        svg.text(left - 4, base, "0", 9, "end", "#777")
        svg.text(left - 4, base - height + 8, f"{most:.0f}", 9, "end", "#777")
        for r in mine:
            svg.text(at(r["joints"], 0)[0], base + 12, str(r["joints"]), 9, "middle", "#777")
        svg.line([at(r["joints"], r["ns_per_joint"]) for r in mine], COLOURS["single", "double"], 2.5)
        theirs = [r for r in mine if r.get("peer_ns") and r["peer"].startswith(PEER)]
        svg.line([at(r["joints"], r["peer_ns"] / r["joints"]) for r in theirs], "#777", 1, "4 2")
    return top + 40 + height + 24


def picture(results):
    svg = Svg(960)
    machine = results["machine"]
    svg.text(20, 24, f"zwang beside Pinocchio: how many times faster ({results['date'][:10]})", 15, weight="bold")
    svg.text(20, 42, f"{machine['processor']}; {results['compiler']}; one core; its best algorithm for every row", 11, colour="#777")
    rows = [r for r in peer_rows(results["rows"]) if r["threads"] == 1]
    y = draw_ratios(svg, rows, 70) if rows else 60
    y = draw_growth(svg, results.get("scaling", []), y + 20)
    return svg.document(y + 10)


def ratio_table(results):
    """Lines of Markdown: robots across, algorithm and mode down; time of zwang, ratio to the peer."""
    rows = results["rows"]
    robots = ordered(r["robot"] for r in rows)
    keys = ordered((r["algorithm"], mode_of(r)) for r in rows)
    yield "| ns per state (ratio to Pinocchio, its algorithm) | " + " | ".join(robots) + " |"
    yield "|---|" + "---:|" * len(robots)
    for algorithm, mode in keys:
        cells = []
        for robot in robots:
            found = [r for r in rows if (r["robot"], r["algorithm"], mode_of(r)) == (robot, algorithm, mode)]
            best = next(iter(peer_rows(found)), None)
            alone = [r for r in rows if (r["robot"], r["algorithm"], mode_of(r)) == (robot, algorithm, (*mode[:2], 1))]
            if found and alone and mode[2] > 1:
                cells.append(f"{found[0]['ns']:.0f} ({alone[0]['ns'] / found[0]['ns']:.2f}× one thread)")
                continue
            words = []
            if best:
                how = best["peer_algorithm"].replace("cholesky::", "")
                words.append(f"**{best['ratio']:.2f}×**, {how}")
            if found and found[0].get("times_the_solve"):
                words.append(f"{found[0]['times_the_solve']:.2f} times the solve")
            row = best or next(iter(found), None)
            cells.append("" if row is None else f"{row['ns']:.0f}" + (f" ({'; '.join(words)})" if words else ""))
        yield f"| {algorithm}, {name_of(mode)} | " + " | ".join(cells) + " |"


def others_table(results):
    """Ratios to the other peers, single state."""
    rows = [r for r in results["rows"] if r.get("ratio") and not r["peer"].startswith(PEER) and r["mode"] == "single"]
    if not rows:
        return
    peers, robots = ordered(r["peer"] for r in rows), ordered(r["robot"] for r in rows)
    columns = [(p, b) for p in peers for b in robots if any((r["peer"], r["robot"]) == (p, b) for r in rows)]
    yield "| ratio to | " + " | ".join(f"{p}: {b}" for p, b in columns) + " |"
    yield "|---|" + "---:|" * len(columns)
    for algorithm in ordered(r["algorithm"] for r in rows):
        cells = [next((f"{r['ratio']:.1f}×" for r in rows if (r["algorithm"], r["peer"], r["robot"]) == (algorithm, *c)), "")
                 for c in columns]
        yield f"| {algorithm} | " + " | ".join(cells) + " |"


def growth_table(results):
    rows = results.get("scaling", [])
    rows = [r for r in rows if not r.get("peer") or r["peer"].startswith(PEER)]
    if not rows:
        return
    yield "| family | algorithm | joints | rows | ns | ns per joint | against 30 joints | ratio to Pinocchio |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|"
    for r in rows:
        ratio = f"{r['ratio']:.2f}×" if r.get("ratio") else ""
        growth = f"{r['growth']:.2f}" if r.get("growth") else ""
        yield (f"| {r['family']} | {r['algorithm']} | {r['joints']} | {r['rows']} | {r['ns']:.0f} | {r['ns_per_joint']:.1f} | "
               f"{growth} | {ratio} |")


def facts(results):
    machine = results["machine"]
    load = ", ".join(f"{x:.2f}" for x in machine["load"])
    level = f", kernels {results['instruction_set']}" if results.get("instruction_set") else ""
    yield f"- {results['date'][:10]}, {machine['processor']}, {machine['system']}, load {load}"
    yield f"- zwang {results['version']}{level}: {results['compiler']}, `{results['flags']}`"
    for peer in results["peers"]:
        if peer["available"]:
            remark = f"; {peer['remark']}" if peer["remark"] else ""
            yield f"- {peer['name']} {peer['version']}: {peer['compiler']}, `{peer['flags']}`{remark}"
        else:
            yield f"- {peer['name']}: absent ({peer['why']})"
    yield f"- {results['states']} random states, medians of {results['rounds']} interleaved rounds, `{results['command']}`"
    for robot in results["robots"]:
        if robot["data_bytes"]:
            yield (f"- {robot['robot']}: `Data` {robot['data_bytes']} bytes ({robot['data_bytes_per_body']} a body), "
                   f"`Solver` with {robot['rows']} rows {robot['solver_bytes']} bytes")
    cost = results.get("compile_cost", {})
    if "ratio" in cost:
        yield (f"- compiling a user's program: {cost['user_program_s']:.2f} s CPU, {cost['ratio']:.2f} times that of `<Eigen/Core>` "
               f"alone, {cost['peak_megabytes']:.0f} MB")


def page_block(results, picture_link):
    blocks = [[f"![Ratios to Pinocchio]({picture_link})"] if picture_link else [], list(facts(results)), list(ratio_table(results)),
              list(others_table(results)), list(growth_table(results))]
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path, help="the Markdown page to write the results into")
    parser.add_argument("--block", default="results", help="between which marks of the page (default: results)")
    arguments = parser.parse_args()
    with (gzip.open if arguments.results.suffix == ".gz" else open)(arguments.results, "rt", encoding="utf-8") as file:
        results = json.load(file)
    svg = arguments.results.with_name(arguments.results.name.removesuffix(".gz")).with_suffix(".svg")
    whole = arguments.block == "results"
    if whole:
        svg.write_text(picture(results), encoding="utf-8")
        print(f"wrote {svg}")
    if arguments.page:
        text = arguments.page.read_text(encoding="utf-8")
        link = svg.resolve().relative_to(arguments.page.resolve().parent).as_posix() if whole else None
        name = re.escape(arguments.block)
        marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
        if not marks.search(text):
            parser.error(f"{arguments.page} has no marks for {arguments.block}")
        text = marks.sub(lambda m: f"{m[1]}\n{page_block(results, link)}\n\n{m[2]}", text)
        arguments.page.write_text(text, encoding="utf-8")
        print(f"wrote {arguments.page}")


if __name__ == "__main__":
    main()
