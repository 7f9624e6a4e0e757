#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The sources that web/CMakeLists.txt takes from the program need no command line: none of them reaches a header of CLI11.

Its own list is read, so that a new source of the program is seen here, and not only where emscripten is."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def chosen(root, cmake):
    """What the glob and the filter of the file leave."""
    pattern = re.search(r'list\(FILTER sources EXCLUDE REGEX "(.*?)"\)', cmake)
    if pattern is None or "/cli/*.cpp)" not in cmake:
        raise SystemExit("web/CMakeLists.txt: no glob of cli/*.cpp with a filter is found")
    left_out = re.compile(pattern[1].replace("\\\\", "\\"))
    return sorted(p for p in (root / "cli").glob("*.cpp") if not left_out.search(str(p)))


def way_to_cli11(root, source, seen):
    """The files from a source to a header of CLI11, or nothing."""
    seen.add(source)
    for quote, name in re.findall(r'^\s*#\s*include\s*([<"])([^>"]+)', source.read_text(), re.M):
        if name.startswith("CLI/"):
            return [source.name, name]
        for folder in (source.parent, root) if quote == '"' else ():
            found = folder / name
            if found.is_file() and found not in seen:
                way = way_to_cli11(root, found, seen)
                if way:
                    return [source.name, *way]
    return []


def main():
    sources = chosen(ROOT, (ROOT / "web/CMakeLists.txt").read_text())
    if not sources or not way_to_cli11(ROOT, ROOT / "cli/arguments.cpp", set()):
        print("web sources: nothing is chosen, or CLI11 is not found where it is")
        return 1
    ways = [way for source in sources if (way := way_to_cli11(ROOT, source, set()))]
    for way in ways:
        print(f"web/CMakeLists.txt: {' -> '.join(way)}: a browser has no command line; add the source to the filter")
    return 1 if ways else 0


if __name__ == "__main__":
    sys.exit(main())
