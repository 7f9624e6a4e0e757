#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every public name of Python, C++ and C stands in the API reference, with a sentence. The names come from elsewhere than those of the
reference: in Python from dir(zwang), in C++ from the lines of the headers that begin in the first column.

    reference_test.py --python .venv/bin/python     exit 77, with the reason: the package or Doxygen is missing
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import api_c  # noqa: E402
import api_cpp  # noqa: E402
import api_inherit  # noqa: E402
import api_python  # noqa: E402
import check_c_abi  # noqa: E402

_MISSING = 77
# Words of a declaration before the name of what it declares; a template's line ends before them.
_TYPE = re.compile(r"(?:template <.*?> )?(?:struct|class|enum(?: class)?|union) (?:\[\[\w+\]\] )?(\w+)(?: final)?(?: :.*| \{.*)$")
_ALIAS = re.compile(r"(?:template <.*> )?using (\w+) =")
_FUNCTION = re.compile(r"(?!return|if|for|while|using|typedef|friend|namespace|static_assert|extern|#)[A-Za-z_][^=({]*?(?<![\w:])(\w+)\(")


def python_names(python):
    """The package's folder and its public names, or None where this Python has no zwang."""
    code = ("import inspect, json, zwang; "
            "print(json.dumps([zwang.__path__[0], [n for n in dir(zwang) if n[0] != '_' and not inspect.ismodule(getattr(zwang, n))]"
            " + [n for n in zwang.study.__all__ if n != 'ENGINES']]))")
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, cwd=tempfile.gettempdir())
    return json.loads(done.stdout) if done.returncode == 0 else None


def cpp_names(text, public=("zwang", "ZWANG_ISA")):
    """Names that a header declares in public namespaces. The style of the project begins such a line in the first column."""
    names, spaces = set(), []
    for line in text.splitlines():
        opened = re.match(r"(?:inline )?namespace ([\w:]+) \{(?!.*\})", line)
        hidden = set(spaces) - set(public)
        if opened:
            spaces.append(opened[1])
        elif spaces and line.startswith("}  // namespace"):
            spaces.pop()
        elif not hidden and (found := _TYPE.match(line) or _ALIAS.match(line) or _FUNCTION.match(line)):
            names.add(found[1])
    return {n for n in names if not n.startswith("operator") and n not in {"operator", "inline", "requires", "decltype"}}


def problems_of(pages, wanted):
    """{name: where} against the entries of pages: those that are absent, those without a sentence."""
    known = {}
    for page in pages:
        for section in page.sections:
            for entry in section.entries:
                for name in entry.name.split(", "):
                    known.setdefault(name, []).append(entry)
    for name, where in sorted(wanted.items()):
        if name not in known:
            yield f"{where}: '{name}' is not in the reference"
        elif not any(len(e.text) > 2 for e in known[name]):
            yield f"{where}: '{name}' has no sentence"


def check_python(python):
    found = python_names(python)
    if found is None:
        return None
    package, names = found
    pages = api_python.pages(pathlib.Path(package))
    return list(problems_of(pages, dict.fromkeys(names, "zwang"))), len(names)


def check_cpp():
    include = ROOT / "include/zwang"
    wanted = {}
    for header in api_cpp.public_headers(include):
        for name in cpp_names((include / header).read_text(encoding="utf-8")):
            wanted.setdefault(name, f"include/zwang/{header}")
    rbdl = ROOT / "compat/rbdl/include"
    for header in sorted(set(rbdl.rglob("*.h")) - {rbdl / "rbdl/Logging.h"}):  # whose two names are in no namespace
        for name in cpp_names(header.read_text(encoding="utf-8"), ("RigidBodyDynamics", "Math", "Utils", "Errors", "Addons")):
            wanted.setdefault(name, header.relative_to(ROOT))
    with tempfile.TemporaryDirectory() as scratch:
        pages = api_cpp.pages(pathlib.Path(scratch))
    api_inherit.complete(pages)
    return list(problems_of(pages, wanted)), len(wanted)


def check_c():
    constants, structs, functions = check_c_abi.read("".join((api_c.INCLUDE / name).read_text(encoding="utf-8") for name in ("zwang_lists.h", "zwang.h")))
    pages = api_c.pages()
    shown = {m.name for page in pages for section in page.sections for entry in section.entries for m in entry.members}
    problems = [f"zwang_lists.h: '{name}' is not in the reference" for name in constants if name not in shown]
    return problems + list(problems_of(pages, dict.fromkeys([*structs, *functions], "zwang.h"))), len(constants) + len(structs) + len(functions)


def check_itself():
    """The reader of headers finds what it must, and leaves out what is internal."""
    text = "\n".join(["namespace zwang {", "struct A;", "template <class S> struct B {", "  int member;", "};", "using C = int;",
                      "double f(int x);", "inline constexpr int k = 3;", "namespace detail {", "int g();", "}  // namespace detail",
                      "template <class T> T h(", "enum class E { one };", "}  // namespace zwang"])
    assert cpp_names(text) == {"B", "C", "f", "h", "E"}, cpp_names(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=str(ROOT / ".venv/bin/python"))
    setup = parser.parse_args()
    check_itself()
    problems, missing = [], False
    for language, check in (("Python", lambda: check_python(setup.python)), ("C++", check_cpp), ("C", check_c)):
        try:
            result = check()
        except FileNotFoundError as error:
            print(f"{language}: not checked: there is no {error.filename}")
            missing = True
            continue
        if result is None:
            print(f"{language}: not checked: {setup.python} has no package zwang")
            missing = True
            continue
        problems += result[0]
        print(f"{language}: {result[1]} public names, {len(result[0])} problems")
    print("\n".join(problems))
    return 1 if problems else _MISSING if missing else 0


if __name__ == "__main__":
    sys.exit(main())
