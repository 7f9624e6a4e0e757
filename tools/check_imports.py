#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""No modules of python/zwang import each other in a circle, neither when they are loaded nor from within a function.

Imports under `if TYPE_CHECKING:` are for annotations alone and do not count: a class may be named by what it is made of.
"""
import argparse
import ast
import graphlib
import pathlib
import sys
import tempfile

import sources

PACKAGE = sources.ROOT / "python" / "zwang"
EXTENSIONS = {"_zwang", "_kdl", "_rbdl"}  # compiled: they import none of these modules


def is_for_types(node):
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def imports_of(node):
    """(level, module or "", names) of every import below a node, whether it runs at once or later."""
    for child in ast.iter_child_nodes(node):
        if is_for_types(child):
            continue
        if isinstance(child, ast.Import):
            yield from ((0, alias.name, []) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            names = [alias.name for alias in child.names if alias.name not in EXTENSIONS]
            if names:
                yield child.level, child.module or "", names
        yield from imports_of(child)


def graph_of(package):
    """{module: modules of the package that it imports}. The package's own __init__ of a folder is named as the folder."""
    def name_of(path):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    modules = {name_of(path): path for path in sorted(package.rglob("*.py"))}
    graph = {}
    for name, path in modules.items():
        folder = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
        graph[name] = set()
        for level, module, names in imports_of(ast.parse(path.read_text(encoding="utf-8"))):
            base = ".".join([*folder[:len(folder) - level + 1], *filter(None, [module])]) if level else module
            found = {f"{base}.{x}" for x in names if f"{base}.{x}" in modules}
            graph[name] |= found or ({base} & modules.keys())
    return graph


def circle_in(package):
    """The modules of a circle, the first again at the end; None where there is none."""
    try:
        graphlib.TopologicalSorter(graph_of(package)).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return None


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(folder) / "one"
        (package / "inner").mkdir(parents=True)
        for name, text in {"__init__": "from .a import x", "a": "def f():\n    from .inner import b", "inner/__init__": "",
                           "inner/b": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..a import f"}.items():
            (package / f"{name}.py").write_text(text)
        assert circle_in(package) is None, "annotations make no circle"
        (package / "inner/b.py").write_text("class B:\n    def g(self):\n        from ..a import f")
        assert set(circle_in(package)) == {"one.a", "one.inner.b"}, "imports within functions do"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--self-test", action="store_true", help="try the check itself on packages made for it")
    if parser.parse_args().self_test:
        self_test()
    circle = circle_in(PACKAGE)
    print(f"imports: a circle: {' <- '.join(circle)}" if circle else "imports: ok")
    return 1 if circle else 0


if __name__ == "__main__":
    sys.exit(main())
