#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Size, licence line, width of comments and forbidden habits of every source file (ARCHITECTURE.md, Sizes)."""
import re
import sys

import sources

LINE_LIMIT = 500
COMMENT_COLUMNS = 120  # of a line of C++ with a comment; clang-format holds the code itself
SOURCE_SUFFIXES = {".hpp", ".cpp", ".ipp", ".cu", ".h", ".py", ".sh", ".cmake"}
CPP_SUFFIXES = {".hpp", ".cpp", ".ipp", ".cu", ".h"}
SOURCE_NAMES = {"CMakeLists.txt", "Makefile"}
LICENCE = "SPDX-License-Identifier: BSD-3-Clause"

# Written in two parts so that this file does not find itself.
FORBIDDEN = {
    "TO" + "DO": "an open end belongs in an issue",
    "FIX" + "ME": "an open end belongs in an issue",
    r"assert\(" + "false": "throw a clear error, in release too",
    "std::" + r"rand\b": "use the project's seeded generator",
    r"\bEigen::\w+::" + "Random": "use the project's seeded generator",
    "ffast" + "-math": "it changes what NaN means",
    r"(?<![\w./-])/" + r"(?:tmp|work|root|home)/": "a machine's path",
}

# Literals come first, since they may contain what begins a comment.
LITERAL_OR_COMMENT = re.compile(
    r'R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"  # not the separator of 10'000
    r"|(?P<comment>//[^\n]*|/\*.*?\*/)", re.DOTALL)


def is_source(path):
    return path.suffix in SOURCE_SUFFIXES or path.name in SOURCE_NAMES


def wide_comments(text):
    """Numbers and widths of the lines that have a comment, or a part of one, and more than COMMENT_COLUMNS columns."""
    lines = text.split("\n")
    if all(len(line) <= COMMENT_COLUMNS for line in lines):
        return
    commented = set()
    for found in LITERAL_OR_COMMENT.finditer(text):
        if found["comment"]:
            first = text.count("\n", 0, found.start()) + 1
            commented.update(range(first, first + found["comment"].count("\n") + 1))
    for number in sorted(commented):
        if len(lines[number - 1]) > COMMENT_COLUMNS:
            yield number, len(lines[number - 1])


def check(path):
    name = sources.relative(path)
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    if len(lines) > LINE_LIMIT:
        yield f"{name}:{LINE_LIMIT}: {len(lines)} lines, the limit is {LINE_LIMIT}"
    head = lines[1:2] if lines and lines[0].startswith("#!") else lines[:1]
    if not head or LICENCE not in head[0]:
        yield f"{name}:1: the first line must carry '{LICENCE}'"
    if path.suffix in (".hpp", ".h") and "#pragma once" not in lines:
        yield f"{name}:1: #pragma once is missing"
    if path.suffix in CPP_SUFFIXES:
        for number, width in wide_comments(text):
            yield f"{name}:{number}: a line with a comment has {width} columns, the limit is {COMMENT_COLUMNS}"
    for number, line in enumerate(lines, 1):
        for pattern, reason in FORBIDDEN.items():
            if re.search(pattern, line):
                yield f"{name}:{number}: '{re.search(pattern, line).group()}': {reason}"


def main():
    files = [p for p in sources.project_files() if is_source(p)]
    problems = [problem for path in files for problem in check(path)]
    print("\n".join(problems) if problems else f"files: ok ({len(files)} files)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
