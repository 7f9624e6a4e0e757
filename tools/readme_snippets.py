#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Takes the blocks of a Markdown file that are marked `<!-- run -->` and writes them where tests can compile and run them.

    tools/readme_snippets.py README.md FOLDER

A fenced `cpp` block becomes FOLDER/readme_<n>.cpp, a fenced `sh` block FOLDER/readme_<n>.sh, in which `build/bin` stands for
the folder of the programs under test ($ZWANG_BIN). Prints the files written, one per line. Marked `python` blocks are left to
tools/docs_snippets.py. A marked block of another language, a mark without a block and a file without marks are errors: what nobody
runs must not look as if somebody did.
"""
import pathlib
import sys

import docs_snippets

_SUFFIX = {"cpp": ".cpp", "sh": ".sh"}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    document, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    text = document.read_text(encoding="utf-8")
    blocks = [block for block in docs_snippets.blocks_of(document.resolve(), text) if block.mark == "run"]
    if not blocks or len(blocks) != text.count("<!-- run -->"):
        sys.exit(f"{document}: {text.count('<!-- run -->')} marks, {len(blocks)} blocks right after one")
    folder.mkdir(parents=True, exist_ok=True)
    for number, block in enumerate(blocks, 1):
        language, body = block.language, block.body
        if language == "python":
            continue
        if language not in _SUFFIX:
            sys.exit(f"{document}: a marked block in '{language}', expected one of {', '.join(_SUFFIX)}, python")
        path = folder / f"{document.stem.lower()}_{number}{_SUFFIX[language]}"
        if language == "sh":
            body = body.replace("build/bin/", '"${ZWANG_BIN:-build/bin}"/')
        if not path.is_file() or path.read_text(encoding="utf-8") != body:  # an unchanged file is not compiled again
            path.write_text(body, encoding="utf-8")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
