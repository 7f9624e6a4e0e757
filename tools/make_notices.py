#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes THIRD_PARTY_NOTICES.md from packaging/dependencies.json and packaging/licences; --check only compares."""
import argparse
import sys

import dependencies

NAMES = {"library": "the library", "cli": "the program `zwang`", "python": "the Python package"}


def text():
    listed = [d for d in dependencies.read() if d["contained"]]
    lines = ["# Third-party notices", "",
             "Code of these projects becomes part of zwang's libraries, programs and Python packages, or is linked by them. zwang itself is under",
             "the licence in [LICENSE](LICENSE). This file is written by `tools/make_notices.py`.", "",
             "| project | licence | part of |", "|---|---|---|"]
    for d in listed:
        lines.append(f"| [{d['name']}]({d['homepage']}) | {d['licence']} | {', '.join(NAMES[part] for part in d['parts'])} |")
    for d in listed:
        lines += ["", f"## {d['name']}", "", f"Source: <{d['source']}>. {d.get('note', '')}".rstrip(), ""]
        lines += [f"- {line}" for line in d["copyright"]]
        lines += ["", "Licence: " + ", ".join(f"[{name.removesuffix('.txt')}](#{anchor(name)})" for name in d["texts"])]
    for name in sorted({name for d in listed for name in d["texts"]}):
        licence = (dependencies.LIST.parent / "licences" / name).read_text(encoding="utf-8").strip("\n")
        lines += ["", f"## {name.removesuffix('.txt')}", "", "```text", licence, "```"]
    return "\n".join(lines) + "\n"


def anchor(name):
    return name.removesuffix(".txt").lower().replace(".", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the file that is there")
    check = parser.parse_args().check
    path = dependencies.ROOT / "THIRD_PARTY_NOTICES.md"
    wanted = text()
    if not check:
        path.write_text(wanted, encoding="utf-8")
        return 0
    if not path.exists() or path.read_text(encoding="utf-8") != wanted:
        print("THIRD_PARTY_NOTICES.md does not say what packaging/dependencies.json does: run tools/make_notices.py")
        return 1
    print("notices: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
