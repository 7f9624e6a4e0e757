#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Begins something new, as the recipe of CONTRIBUTING.md says: tools/new.py joint|relation|method|algorithm|question NAME

Writes its files from tools/new/KIND, and its line into each list. What it writes compiles and is of the house's form; it computes nothing yet,
and a test of its law fails until it does. At the end it says which test that is and what the recipe asks beyond. NAME is snake_case and not
taken. Nothing is written where a list is not as it was expected.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

import sources

TEMPLATES = pathlib.Path(__file__).resolve().parent / "new"
FORMATTER = "clang-format-14"


class Refused(Exception):
    """Why nothing was written."""


def before(anchor, line):
    """An edit: `line` before the one place of `anchor`."""
    return lambda text: replaced(text, anchor, lambda found: line + found)


def after(anchor, line):
    return lambda text: replaced(text, anchor, lambda found: found + line)


def include(name):
    """An edit: the include of `name` among those of its folder, in order."""
    folder = name.rsplit("/", 1)[0]

    def edit(text):
        lines = text.splitlines(keepends=True)
        beside = [k for k, line in enumerate(lines) if re.match(rf'#include "{re.escape(folder)}/[^/"]+"', line)]
        if not beside:
            raise Refused(f"has no include of {folder}/ beside which that of {name} would stand")
        new = f'#include "{name}"\n'
        place = next((k for k in beside if lines[k] > new), beside[-1] + 1)
        return "".join(lines[:place] + [new] + lines[place:])
    return edit


def replaced(text, anchor, make):
    if text.count(anchor) != 1:
        raise Refused(f"has {text.count(anchor)} places like '{anchor.strip()}', expected one")
    return text.replace(anchor, make(anchor))


C_LISTS = ("ZWANG_WRITE_C=1 build/bin/test_c --gtest_filter='CLists.*' writes the lists of the C interface again; build, then\n"
           "    tools/check_c_abi.py --write")
SCHEMA = "ZWANG_WRITE_SCHEMA=1 build/bin/test_io --gtest_filter='Schema.*' writes docs/schema again"
# kind: (files {template: place}, edits [(file, edit)], the test that fails until it is written, what the recipe asks beyond)
KINDS = {
    "joint": (
        {"joint.hpp.in": "include/zwang/model/joints/@name@.hpp"},
        [("include/zwang/model/joint_types.hpp", include("zwang/model/joints/@name@.hpp")),
         ("include/zwang/model/joint_types.hpp", before("    Fixed,  ", "    @Name@,  //\n")),
         ("tests/support/reference_joints.cpp", before('{"spherical", 4, 3, false}', '{"@name@", 1, 1, true},\n                               ')),
         ("tests/support/reference_joints.cpp",
          before('  } else if (t == "user") {', '  } else if (t == "@name@") {\n    X.p = scaled(part.axis, q[0]);  // its pose by other means\n'))],
        ("model", "JointLaws*"),
        ["its pose, columns and cost in the file; its pose once more, by other means, in tests/support/reference_joints.cpp",
         "a group that zwang/model/joints/groups.hpp does not have: python/src/load.cpp and python/zwang/_tangent.py",
         "its row in CONVENTIONS.md (Configuration and velocity) and docs/models.md"]),
    "relation": (
        {"type.hpp.in": "include/zwang/constraint/types/@name@.hpp", "page.hpp.in": "include/zwang/constraint/page/@name@.hpp",
         "bind.cpp.in": "src/constraint/@name@.cpp", "test.cpp.in": "tests/constraint/@name@_test.cpp", "page.md.in": "docs/constraints/@name@.md"},
        [("include/zwang/constraint/page/relations.hpp", include("zwang/constraint/page/@name@.hpp")),
         ("include/zwang/constraint/page/relations.hpp",
          before("                         page::PointPairRows, ", "                         page::PoseRows<page::@Name@Geometry>,  //\n")),
         ("include/zwang/constraint/constraint_types.hpp", include("zwang/constraint/types/@name@.hpp")),
         ("include/zwang/constraint/constraint_types.hpp", before("CustomConstraint>;", "@Name@Constraint, ")),
         ("docs/constraints/index.md", before("| [your own](custom.md)", "| [@words@](@name@.md) | what it holds | 1 | yes |\n")),
         ("CONVENTIONS.md", after("| `centre_of_mass` | `rows`, or `matrix` k × 3 |\n", "| `@name@` | `frames` [a, b] |\n")),
         ("mkdocs.yml", before("          - Your own rows: constraints/custom.md", "          - @Title@: constraints/@name@.md\n"))],
        ("constraint", "@Name@Rows*"),
        ["phi, phi' and gamma in types/@name@.hpp, the rows in page/@name@.hpp, what it refuses in src/constraint/@name@.cpp", SCHEMA,
         "a draw in tests/dynamics/imposed.cpp and tests/io/constraints_json_test.cpp; where it equals a joint, a law that compares the two",
         "its example in Python in docs/constraints/@name@.md"]),
    "method": (
        {"method.cpp.in": "src/factor/method/@name@.cpp", "workspace.hpp.in": "src/linear/@name@.hpp", "workspace.cpp.in": "src/linear/@name@.cpp",
         "test.cpp.in": "tests/dynamics/@name@_test.cpp"},
        [("include/zwang/factor/methods.hpp", after("a_method(embedding)", " a_method(@name@)")),
         ("tests/dynamics/solver_test.cpp", after('"constrained_aba", "loop_aba", "embedding"', ', "@name@"')),
         ("docs/hybrid-dynamics.md", after("and `contact_cholesky`.", " `@name@` is new.")),
         ("CONVENTIONS.md", after("`constrained_aba`, `loop_aba`, `embedding`", ", `@name@`"))],
        ("dynamics", "@Name@*"),
        ["src/linear/@name@.cpp: solve() and solve_again(); its citation, DIFFERS and cost in the header; what it supports (.can) in its method file",
         "tests/dynamics/factor_test.cpp runs over the list, and docs/solvers.md has a row for each method",
         "one test for no allocation after construction (tests/no_allocation)"]),
    "algorithm": (
        {"page.hpp.in": "include/zwang/algorithm/page/@name@.hpp", "call.hpp.in": "include/zwang/algorithm/@name@.hpp",
         "call.cpp.in": "src/algorithm/@name@.cpp", "test.cpp.in": "tests/algorithm/@name@_test.cpp"},
        [("include/zwang/generic.hpp", include("zwang/algorithm/page/@name@.hpp")),
         ("include/zwang/algorithm/algorithm_list.hpp",
          before('    {.name = "subtree_mass",', '    {.name = "@name@",\n     .page = "@name@",\n     .takes = {q, v},\n     .gives = {{"value", {}, "unit"}},\n'
                 '     .doc = "What it is, in one sentence  [unit]: a float, or shape (N,) for N states.",\n     .notes = k_state_notes},\n')),
         ("include/zwang/batch/evaluate.hpp", before('#include "zwang/batch/derivative_calls.hpp"', '#include "zwang/algorithm/@name@.hpp"\n')),
         ("include/zwang/batch/evaluate.hpp",
          before('inline void call(Row<"subtree_mass">', 'inline void call(Row<"@name@">, const State& x) { x.put(@name@(x.model, x.data, x.q(), x.v())); }\n')),
         ("src/kernels/batch_tasks.hpp", include("zwang/algorithm/page/@name@.hpp")),
         ("src/kernels/batch_tasks.hpp",
          before('template <class S> ZWANG_INLINE void task(Row<"coriolis_matrix">',
                 'template <class S> ZWANG_INLINE void task(Row<"@name@">, Workspace<S>& w, const Call<S>&) {\n'
                 '  page::kinematics(w.data, w.q.data(), w.v.data());\n  w.out[0] = page::@name@(w.data);\n}\n')),
         ("include/zwang/algorithm/real_time.hpp", include("zwang/algorithm/@name@.hpp")),
         ("include/zwang/algorithm/real_time.hpp",
          before("Status try_mechanical_energy(", "Status try_@name@(const Model& model, Data& data, VectorIn q, VectorIn v, double& out) noexcept;\n")),
         ("src/algorithm/real_time.cpp",
          before("Status try_mechanical_energy(", "Status try_@name@(const Model& model, Data& data, VectorIn q, VectorIn v, double& out) noexcept {\n"
                 '  return checked<"@name@">(model, data, q, v).run([&] { out = @name@(model, data, q, v); });\n}\n')),
         ("docs/quantities.md", after("| `mechanical_energy(q, v)` | J | `kinetic_energy` + `potential_energy` |\n",
                                      "| `@name@(q, v)` | unit | what it is |\n"))],
        ("algorithm", "@Name@*"),
        ["the page with its citation; arguments, results, unit and help in the row of algorithm_list.hpp, the call, the task and the twin that follow them",
         "an O(n^3) reference in tests/support, all scalars (tests/algorithm/scalar_pages.cpp), no allocation (tests/no_allocation/hot_calls_test.cpp)",
         C_LISTS]),
    "question": (
        {"question.hpp.in": "include/zwang/question/@name@.hpp", "question.cpp.in": "src/question/@name@.cpp", "python.cpp.in": "python/src/@name@.cpp",
         "test.cpp.in": "tests/dynamics/@name@_test.cpp", "test.py.in": "tests/python/test_@name@.py"},
        [("include/zwang/mechanisms.hpp", include("zwang/question/@name@.hpp")),
         ("python/src/module.cpp", after("a_part(mobility)", " a_part(@name@)")),
         ("tests/io/records_test.cpp", include("zwang/question/@name@.hpp")),
         ("tests/io/records_test.cpp",
          after("  expect_whole_list<MobilitySettings>();\n", "  expect_whole_list<@Name@Settings>();\n  expect_whole_list<@Name@Report>();\n"))],
        ("dynamics", "@Name@*"),
        ["the equation, its source and what is refused in include/zwang/question/@name@.hpp, the answer in src/question/@name@.cpp",
         "its result among the objects of tests/python/test_kept.py; a page of docs/; of N states in lanes: batch/, where there is a reason"]),
}


def named(text, name):
    camel = "".join(part.capitalize() for part in name.split("_"))
    words = name.replace("_", " ")
    for mark, word in (("@name@", name), ("@Name@", camel), ("@words@", words), ("@Title@", words[0].upper() + words[1:])):
        text = text.replace(mark, word)
    return text


def taken(kind, name, root):
    """A file or a name of the code that has this name."""
    files, *_ = KINDS[kind]
    for place in files.values():
        if (root / named(place, name)).exists():
            return named(place, name)
    camel = named("@Name@", name)
    kinds = {"joint": rf"struct {camel}\b", "relation": rf"{camel}Constraint\b", "method": rf"a_method\({name}\)", "algorithm": rf'"{name}"',
             "question": rf"^[\w:<>& ]+ {name}\("}
    folder = root / "include/zwang"
    return next((sources.relative(p, root) for p in sorted(folder.rglob("*.hpp")) if re.search(kinds[kind], p.read_text(encoding="utf-8"), re.MULTILINE)), None)


def make(kind, name, root):
    """{path: text} of everything that is written."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise Refused(f"NAME is snake_case, as turning_joint; got '{name}'")
    where = taken(kind, name, root)
    if where:
        raise Refused(f"the name '{name}' is taken: {where}")
    files, edits, _, _ = KINDS[kind]
    texts = {root / named(place, name): named((TEMPLATES / kind / template).read_text(encoding="utf-8"), name) for template, place in files.items()}
    for file, edit in edits:
        path = root / file
        try:
            texts[path] = named(edit(texts.get(path) or path.read_text(encoding="utf-8")), name)
        except Refused as problem:
            raise Refused(f"{file} {problem}") from None
    return texts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=list(KINDS))
    parser.add_argument("name", help="snake_case")
    arguments = parser.parse_args()
    try:
        texts = make(arguments.kind, arguments.name, sources.ROOT)
    except Refused as problem:
        sys.exit(f"new: {problem}")
    if shutil.which(FORMATTER) is None:
        print(f"there is no {FORMATTER}: `make format` orders what is written")
    said = []
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix in (".hpp", ".cpp") and shutil.which(FORMATTER):
            text = subprocess.run([FORMATTER, f"--assume-filename={path}"], input=text, capture_output=True, text=True, check=True).stdout
        said.append(f"{'changed' if path.exists() else 'new    '} {sources.relative(path)}")
        path.write_text(text, encoding="utf-8")
    print("\n".join(said))
    _, _, (folder, test), steps = KINDS[arguments.kind]
    print(f"\nThe law that fails until it is written: make check FOLDER={folder}, or\n"
          f"  ninja -C build test_{folder} && build/bin/test_{folder} --gtest_filter='{named(test, arguments.name)}'\nThen, of the recipe (CONTRIBUTING.md):")
    for step in [*steps, "changelog.d/: a file with a line for users"]:
        print(f"  - {named(step, arguments.name)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
