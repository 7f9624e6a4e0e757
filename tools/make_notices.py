#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes THIRD_PARTY_NOTICES.md, and packaging/SITE_NOTICES.md for the documentation's site, from packaging/dependencies.json and
packaging/licences.

--check compares instead, and looks into the headers of libraries that this machine has: a file with a licence of its own that the list does
not name is an error.
"""
import argparse
import fnmatch
import pathlib
import re
import sys

import dependencies

NAMES = {"library": "the library", "cli": "the program `zwang`", "python": "the Python package", "site": "the site"}
INTRO = {
    "THIRD_PARTY_NOTICES.md": "Code of these projects becomes part of zwang's libraries, programs and Python packages, or is linked by them. zwang itself is under\n"
                              "the licence in [LICENSE](LICENSE). This file is written by `tools/make_notices.py`.",
    "packaging/SITE_NOTICES.md": "Files of these projects are in the site that `make docs` builds from zwang's documentation, and in no library, program or package.\n"
                                 "With the page \"Try it\" it also holds the library, compiled, and three.js: THIRD_PARTY_NOTICES.md.\n"
                                 "This file is written by `tools/make_notices.py`.",
}
# What a header says that has a licence beside the project's own.
OWN_LICENCE = re.compile(r"Apache License|all rights reserved|Permition is granted|BSD License|SPDX-FileCopyrightText", re.IGNORECASE)


def texts_of(d):
    return [*d["texts"], *(name for w in d.get("within", []) for name in w["texts"])]


def links(texts):
    return ", ".join(f"[{name.removesuffix('.txt')}](#{anchor(name)})" for name in dict.fromkeys(texts))


def text(name):
    site = name != "THIRD_PARTY_NOTICES.md"
    listed = [d for d in dependencies.read() if d["contained"] and ("site" in d["parts"]) == site]
    lines = ["# Third-party notices" + (" of the site" if site else ""), "", INTRO[name], "", "| project | licence | part of |", "|---|---|---|"]
    for d in listed:
        lines.append(f"| [{d['name']}]({d['homepage']}) | {d['licence']} | {', '.join(NAMES[part] for part in d['parts'])} |")
    for d in listed:
        lines += ["", f"## {d['name']}", "", f"Source: <{d['source']}>. {d.get('note', '')}".rstrip(), ""]
        lines += [f"- {line}" for line in d["copyright"]]
        lines += ["", "Licence: " + links(d["texts"])]
        for w in d.get("within", []):
            alone = " (in source distributions alone)" if w.get("sources") else ""
            lines += ["", f"In it, {', '.join(f'`{f}`' for f in w['files'])}{alone}:", ""]
            lines += [f"- {line}" for line in w["copyright"]]
            lines += ["", "Licence: " + (links(w["texts"]) if w["texts"] else w["licence"])]
    for name in sorted({name for d in listed for name in texts_of(d)}):
        licence = (dependencies.LIST.parent / "licences" / name).read_text(encoding="utf-8").strip("\n")
        lines += ["", f"## {name.removesuffix('.txt')}", "", "```text", licence, "```"]
    return "\n".join(lines) + "\n"


def anchor(name):
    return name.removesuffix(".txt").lower().replace(".", "")


def unnamed(d, folder, project):
    """Headers below a folder with a licence that is not the project's and that the list does not name."""
    found = []
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = path.relative_to(folder.parent).as_posix()
        said = [line for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
                if OWN_LICENCE.search(line) and not re.search(project, line)]
        if said and not any(fnmatch.fnmatchcase(name, pattern) for w in d.get("within", []) for pattern in w["files"]):
            found.append(f"{d['name']}: {path} says '{said[0].strip()}', which packaging/dependencies.json does not name in 'within'")
    return found


def headers_problems():
    found = []
    for d in dependencies.read():
        if "headers" not in d:
            continue
        folder = pathlib.Path(d["headers"])
        if folder.is_dir():
            found += unnamed(d, folder, d.get("own", "$^"))
        else:
            print(f"notices: {d['name']} is not in {folder}: its headers were not looked at")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the files that are there, and look into headers")
    if not parser.parse_args().check:
        for name in INTRO:
            (dependencies.ROOT / name).write_text(text(name), encoding="utf-8")
        return 0
    problems = headers_problems()
    for name in INTRO:
        path = dependencies.ROOT / name
        if not path.exists() or path.read_text(encoding="utf-8") != text(name):
            problems.append(f"{name} does not say what packaging/dependencies.json does: run tools/make_notices.py")
    print("\n".join(problems) if problems else "notices: ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
