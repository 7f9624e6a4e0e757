#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Includes may only point left (ARCHITECTURE.md, Layers). Adding an arrow means editing the table below: a visible decision.

Checked in every C++ file:
  include/zwang/<layer>, src/<layer>   may include the layers that ALLOWED names and their own
  src/instantiate, src/kernels         may include every layer up to factor: they only instantiate
  cli, bench, examples, python, ...    public headers and files of their own folder; nobody includes them, but SHARED_BY
  tests                                the same, and the private headers of the layers
  folders below src/                   no two of them, at any depth, include each other
  include/                             none of the headers and macros that make every user's build slow or depend on flags; and no header
                                       that only compiled sources need: one of REACHED_FROM must reach it
"""
import argparse
import pathlib
import re
import sys
import tempfile

import sources

_LEFT_OF_CONSTRAINT = ["core", "spatial", "model", "manifold", "algorithm"]
_LEFT_OF_ROWS = _LEFT_OF_CONSTRAINT + ["constraint", "linear"]
_LEFT_OF_CERTIFY = _LEFT_OF_ROWS + ["rows", "factor"]
_LEFT_OF_QUESTION = _LEFT_OF_CERTIFY + ["certify", "choose", "solve"]
ALLOWED = {
    "core": [],
    "spatial": ["core"],
    "model": ["core", "spatial"],
    "manifold": ["core", "spatial", "model"],
    "algorithm": ["core", "spatial", "model"],
    "constraint": _LEFT_OF_CONSTRAINT,
    "linear": _LEFT_OF_CONSTRAINT,  # matrices only: no constraints, no rows
    "geometry": ["core", "spatial", "model"],  # solids and meshes; of the model the shapes of its description
    "contact": ["core", "linear"],  # impulses of rows, whatever the rows are of
    "rows": _LEFT_OF_ROWS,
    "factor": _LEFT_OF_ROWS + ["rows"],
    "certify": _LEFT_OF_CERTIFY,
    "choose": _LEFT_OF_CERTIFY + ["certify"],
    "solve": _LEFT_OF_CERTIFY + ["certify", "choose"],
    "question": _LEFT_OF_QUESTION,
    "batch": _LEFT_OF_QUESTION + ["question"],
    "simulation": _LEFT_OF_QUESTION + ["question", "batch", "geometry", "contact"],
    "path": _LEFT_OF_QUESTION + ["question", "batch", "simulation"],
    "io": _LEFT_OF_QUESTION + ["question", "geometry"],  # documents of solutions; a solve knows no file format
    "codegen": _LEFT_OF_QUESTION + ["question", "io"],  # the pages on a scalar that records, written as C
    "instantiate": _LEFT_OF_CERTIFY,
    "kernels": _LEFT_OF_CERTIFY,
}
PROGRAMS = ["cli", "tests", "bench", "examples", "python", "viewer", "compat", "web"]
SHARED_BY = {"viewer": ["cli", "python", "tests", "web"],  # pages are the same from the command line, from Python and in a browser
             # tests/fuzz feeds the readers of problems; zwang-bench complains in the same words; a browser reads the same problems
             "cli": ["tests", "bench", "web"],
             "compat": ["tests"],  # tests/c: the forces that a motion keeps between two calls
             "web": ["tests"]}
SLOW_HEADERS = {"filesystem", "variant", "functional", "iostream", "map", "regex"}
SIMD_HEADER = "include/zwang/core/pack.hpp"  # the one place that looks at the machine's registers

# A header is public where a user may need it: an umbrella (include/zwang/*.hpp), a program of these folders, a page of the documentation, or a
# row of the list of algorithms, which names the page of its equations, leads to it.
REACHED_FROM = ["cli", "bench", "examples", "python", "viewer", "compat"]
_NAMED = re.compile(r"`(?:zwang/)?((?:\w+/)+\w+\.hpp)`|zwang/((?:\w+/)+\w+\.hpp)")
_PAGE_OF_ROW = re.compile(r'\.page = "([\w/]+)"')

_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def layer_of(name):
    """('layer', x) for a file of a layer, ('umbrella', '') for zwang.hpp and its like, ('program', x), or None."""
    parts = name.split("/")
    if parts[:2] == ["include", "zwang"]:
        return ("umbrella", "") if len(parts) == 3 else ("layer", parts[2])
    if parts[0] == "src" and len(parts) > 2:
        return ("layer", parts[1])
    return ("program", parts[0]) if parts[0] in PROGRAMS else None


def resolve(root, name, quoted):
    """The project's file behind a quoted include, as a path below the root; None where it is another library's."""
    if quoted.startswith("zwang/"):
        return "include/" + quoted
    for folder in (root / pathlib.PurePosixPath(name).parent, root / "src", root / "tests", root / "cli", root):
        found = (folder / quoted).resolve()
        if found.is_file() and root.resolve() in found.parents:
            return found.relative_to(root.resolve()).as_posix()
    return None


def judge(source, target, name, wanted):
    """What is wrong with `name` including `wanted`, or None."""
    kind, here = source
    if target is None:
        return None
    other, there = target
    if kind == "program":
        if other == "layer" and not wanted.startswith("include/") and here != "tests":
            return "programs see public headers only"
        if other == "program" and there != here and here not in SHARED_BY.get(there, []):
            return f"{here}/ includes {there}/, which nobody may include"
        return None
    if other == "program":
        return f"the library includes {there}/"
    if kind == "umbrella":
        return None if wanted.startswith("include/") else "a public header includes a private file"
    if other == "umbrella":
        return "a layer includes an umbrella header"
    if name.startswith("include/") and not wanted.startswith("include/"):
        return "a public header includes a private file"
    if there != here and there not in ALLOWED[here]:
        return f"{here} may not include {there}: allowed are {', '.join(ALLOWED[here]) or 'none'}"
    return None


def check_file(root, path):
    name = path.relative_to(root).as_posix()
    source = layer_of(name)
    if source is None or path.suffix not in (".hpp", ".cpp", ".ipp", ".cu", ".h"):
        return
    if source[0] == "layer" and source[1] not in ALLOWED:
        yield f"{name}:1: '{source[1]}' is no layer: add it to the table of tools/check_layers.py"
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if name.startswith("include/") and name != SIMD_HEADER and "__AVX" in line:
            yield f"{name}:{number}: a public header looks at the instruction set (only {SIMD_HEADER} may)"
        match = _INCLUDE.match(line)
        if not match:
            continue
        bracket, header = match.groups()
        if name.startswith("include/") and header in SLOW_HEADERS:
            yield f"{name}:{number}: <{header}> in a public header slows every user's build down"
        if bracket == "<" and not header.startswith("zwang/"):
            continue
        wanted = resolve(root, name, header)
        if wanted is None:
            yield f'{name}:{number}: "{header}" is not a file of the project (use <...> for other libraries)'
            continue
        if wanted.startswith("include/") and not (root / wanted).is_file():
            yield f"{name}:{number}: {wanted} does not exist"
            continue
        problem = judge(source, layer_of(wanted), name, wanted)
        if problem:
            yield f"{name}:{number}: {problem}"


def unreached(root, files):
    """Public headers that no user has a way to."""
    headers = {p.relative_to(root / "include").as_posix(): p for p in files
               if p.suffix == ".hpp" and p.relative_to(root).as_posix().startswith("include/zwang/")}

    def included(path):
        return {m[2] for line in path.read_text(encoding="utf-8").splitlines() if (m := _INCLUDE.match(line)) and m[2] in headers}

    waiting = [h for h in headers if h.count("/") == 1]
    for path in files:
        name = path.relative_to(root)
        if path.suffix == ".md" and (name.parts[0] == "docs" or name.as_posix() == "README.md"):
            waiting += ["zwang/" + (m[0] or m[1]) for m in _NAMED.findall(path.read_text(encoding="utf-8"))]
        elif name.parts[0] in REACHED_FROM and path.suffix in (".hpp", ".cpp", ".ipp", ".h"):
            waiting += included(path)
        elif name.as_posix().startswith("include/zwang/algorithm/"):
            pages = _PAGE_OF_ROW.findall(path.read_text(encoding="utf-8"))
            waiting += [f"zwang/{page}.hpp" if "/" in page else f"zwang/algorithm/page/{page}.hpp" for page in pages]
    reached = set()
    while waiting:
        header = waiting.pop()
        if header in headers and header not in reached:
            reached.add(header)
            waiting += included(headers[header])
    for header in sorted(set(headers) - reached):
        yield f"include/{header}:1: no user has a way to this header: move it to src/"


def two_way_arrows():
    """Pairs of layers of which each may include the other: the table itself must stay one-way."""
    return [(a, b) for a in ALLOWED for b in ALLOWED[a] if a in ALLOWED.get(b, [])]


def folder_pairs(root, files):
    """Folders below src/, at any depth, that include each other: (file, line, the folder that it includes)."""
    arrows = {}
    for path in files:
        name = path.relative_to(root)
        if name.parts[0] != "src" or path.suffix not in (".hpp", ".cpp"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = _INCLUDE.match(line)
            wanted = match and match[1] == '"' and resolve(root, name.as_posix(), match[2])
            if wanted and wanted.startswith("src/") and pathlib.PurePosixPath(wanted).parent != name.parent:
                arrows.setdefault((name.parent.as_posix(), wanted.rpartition("/")[0]), (name.as_posix(), number))
    for (a, b), (name, number) in sorted(arrows.items()):
        if a > b and (b, a) in arrows:
            yield f"{name}:{number}: {a} and {b} include each other"


def check(root, files):
    for a, b in two_way_arrows():
        yield f"tools/check_layers.py: the table lets {a} and {b} include each other"
    for path in files:
        yield from check_file(root, path)
    yield from folder_pairs(root, files)
    yield from unreached(root, files)


def self_test():
    """Every rule refuses a tree that breaks it and nothing else."""
    good = {"include/zwang/core/a.hpp": "", "include/zwang/model/m.hpp": '#include "zwang/core/a.hpp"\n',
            "include/zwang/algorithm/x.hpp": '#include <vector>\n#include "zwang/model/m.hpp"\n',
            "include/zwang/zwang.hpp": '#include "zwang/algorithm/x.hpp"\n', "src/io/detail.hpp": "",
            "src/io/r.cpp": '#include "detail.hpp"\n#include "zwang/model/m.hpp"\n#include <map>\n',
            "tests/core/t.cpp": '#include <zwang/zwang.hpp>\n', "tests/io/inside.cpp": '#include "io/detail.hpp"\n',
            "src/io/uses.cpp": '#include "io/parts/p.hpp"\n', "docs/page.md": "`core/named.hpp`\n", "include/zwang/core/named.hpp": "",
            "bench/b.cpp": '#include "zwang/core/used.hpp"\n', "include/zwang/core/used.hpp": ""}
    bad = {"include/zwang/core/b.hpp": '#include "zwang/model/m.hpp"\n',
           "include/zwang/manifold/i.hpp": '#include "zwang/algorithm/x.hpp"\n',
           "include/zwang/model/slow.hpp": "#include <variant>\n",
           "include/zwang/model/simd.hpp": "#ifdef __AVX2__\n#endif\n",
           "include/zwang/model/umbrella.hpp": '#include "zwang/zwang.hpp"\n',
           "include/zwang/io/private.hpp": '#include "../../../src/io/detail.hpp"\n',
           "include/zwang/model/missing.hpp": '#include "zwang/core/none.hpp"\n',
           "include/zwang/core/nobody.hpp": "", "include/zwang/nonsense/n.hpp": "", "src/model/up.cpp": '#include "io/detail.hpp"\n',
           "src/io/parts/p.hpp": '#include "io/detail.hpp"\n',
           "cli/inside.cpp": '#include "io/detail.hpp"\n', "cli/c.cpp": '#include "../tests/core/t.cpp"\n'}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {**good, **bad}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        refused = {p.split(":")[0] for p in check(root, sorted(p for p in root.rglob("*") if p.is_file()))}
    for name in sorted(refused ^ set(bad)):
        print(f"{name}: {'refused, but right' if name in good else 'wrong, but not refused'}")
    return 1 if refused != set(bad) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--self-test", action="store_true", help="show that each rule refuses what breaks it")
    if parser.parse_args().self_test:
        return self_test()
    files = sources.project_files()
    problems = list(check(sources.ROOT, files))
    print("\n".join(problems) if problems else f"layers: ok ({len(files)} files)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
