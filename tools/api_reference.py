#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the API reference as Markdown pages, which docs/hooks.py puts into the site.

    tools/api_reference.py [--complete] [--package FOLDER] [--out build/api_reference]

Python: from the stubs (.pyi) and sources of the package in FOLDER, by default that of .venv or of a build. C++: from the public headers,
read by Doxygen (1.9 or later). C: from its header. Where the package is not built, or there is no Doxygen, a page says so in the place of this language, and
the exit status is 0; with --complete it is 1.
"""
import argparse
import json
import pathlib
import shutil
import sys
import tempfile

import api_c
import api_cpp
import api_inherit
import api_markdown
import api_python
from sources import ROOT

_PLACES = (".venv/lib/python3*/site-packages/zwang", "build/python/python/zwang", "build/python/zwang")
_NO_PACKAGE = "the Python package is not built: `make python` builds it, then `make docs` has its reference"
_NO_DOXYGEN = "there is no program `doxygen`: `tools/install_dependencies.sh docs` installs it, then `make docs` has the reference of C++"


def find_package():
    """The folder of the package with its stubs, or None."""
    found = [p.parent for place in _PLACES for p in sorted(ROOT.glob(f"{place}/_zwang.pyi"))]
    return found[0] if found else None


def python_pages(package):
    return api_python.pages(package) if package else None


def cpp_pages():
    if not shutil.which("doxygen"):
        return None
    with tempfile.TemporaryDirectory() as scratch:
        pages = api_cpp.pages(pathlib.Path(scratch))
    api_inherit.complete(pages)
    return pages


def _absent(path, title, reason):
    return api_markdown.Page(path, title, f"This site was built without this part: {reason}.", [], "text")


def _contents(pages):
    """For the page of contents: each page with its names, or its headers with theirs."""
    lines = []
    for page in pages:
        lines += [f"### [{page.title}](reference/{page.path})", ""]
        for section in page.sections:
            names = [f"[{api_markdown.escape(e.name)}](reference/{page.path}#{api_markdown.anchor(e.name)})"
                     for e in section.entries if e.name != "Operators"]
            title = f"`{section.title}`: " if section.title.endswith(".hpp") else ""
            lines += ["- " + title + ", ".join(names) if title else ", ".join(names), ""]
        if not page.sections:
            lines += [page.text, ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--complete", action="store_true")
    parser.add_argument("--package", type=pathlib.Path, default=find_package())
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/api_reference")
    setup = parser.parse_args()
    missing = []

    def part(pages, path, title, reason):
        if pages is None:
            missing.append(reason)
            return [_absent(path, title, reason)]
        return pages

    groups = {"Python": part(python_pages(setup.package), "python.md", "Python", _NO_PACKAGE),
              "C++": part(cpp_pages(), "cpp.md", "C++", _NO_DOXYGEN), "C": api_c.pages()}
    named = {page.path: page for page in sum(groups.values(), [])}
    for facade in ("kdl", "rbdl"):
        if f"python-{facade}.md" in named and f"cpp-{facade}.md" in named:
            api_inherit.complete_facade(named[f"python-{facade}.md"], named[f"cpp-{facade}.md"])
    shutil.rmtree(setup.out, ignore_errors=True)
    setup.out.mkdir(parents=True)
    for page in sum(groups.values(), []):
        (setup.out / page.path).write_text(api_markdown.render(page), encoding="utf-8")
    contents = "\n".join(f"## {name}\n\n{_contents(pages)}" for name, pages in groups.items())
    (setup.out / "contents.txt").write_text(contents, encoding="utf-8")
    menu = {name: [[p.title, p.path] for p in pages] for name, pages in groups.items()}
    (setup.out / "menu.json").write_text(json.dumps(menu, indent=1), encoding="utf-8")
    for reason in missing:
        print(f"api_reference.py: {reason}", file=sys.stderr)
    return 1 if missing and setup.complete else 0


if __name__ == "__main__":
    sys.exit(main())
