#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The recipes of CONTRIBUTING.md stay true: how many files know a method, a relation, an option of rows, an algorithm or a field of the report.

For some names of each kind, those that nothing but their own page makes special, the files are counted that use the name in code: as an
identifier or as a whole string, comments and other strings left out. Tests, documentation and examples do not count.

A class of include/ or src/ has at most MOST_MEMBERS data members of its own, but the plain data that PLAIN_DATA names: what a file or a user
says, and what kernels read. The limit counts, it is no target: a class of three subjects is three classes.

    tools/check_recipes.py [--list]     --list prints the files
"""
import re
import sys

import sources

# kind: (most files, {name: expression}). The files of the kind's own page count, too.
RECIPES = {
    "a method": (4, {"dense_cod": r"dense_cod", "range_space": r'"range_space"|\brange_space\b(?!\.)', "bbo": r"bbo",
                     "constrained_aba": r"constrained_aba", "loop_aba": r"loop_aba"}),
    "a relation": (5, {"distance": r'DistanceConstraint|DistancePage|DistanceGeometry|add_distance',
                       "rolling": r'RollingConstraint|RollingPage|RollingGeometry|add_rolling'}),
    "an option of rows": (2, {"compensate": r'"compensate"'}),
    "an algorithm": (8, {"centroidal_inertia": r"centroidal_inertia", "mass_matrix_solve": r"mass_matrix_solve"}),
    "a field of a report": (3, {"tolerance": r"struct SolveReport \{|\b(?:r|report)\.tolerance\b",
                                  "complementarity": r"complementarity"}),
}
FACES = ("python/zwang/pinocchio/",)  # other libraries' names over the calls: they gain none when zwang does
COUNTED = ("include/", "src/", "python/src/", "python/zwang/", "cli/", "bench/compare/")
MOST_MEMBERS = 25
PLAIN_DATA = {"BasicData", "JointDescription", "Model", "Workspace"}


def code_of(text):
    """Without comments, and without strings that say more than a word."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', lambda s: s[0] if re.fullmatch(r'"\w+"', s[0]) else '""', text)


def files_naming(expression, files):
    wanted = re.compile(rf"\b(?:{expression})\b" if re.fullmatch(r"\w+", expression) else expression)
    return [name for name, code in files.items() if wanted.search(code)]


def members_of(code):
    """(class, number of its data members) of every class of a header; nested ones count for themselves."""
    stack, count = [], {}
    for line in code.splitlines():
        head = re.match(r"\s*(?:template\s*<[^>]*>\s*)?(?:struct|class)\s+(\w+)[^;]*\{\s*$", line)
        depth = len(stack)
        if head:
            stack.append(head[1])
            count.setdefault(head[1], 0)
            continue
        member = re.match(r"\s*(?!using|friend|static|typedef|enum|return|struct|class|template)[\w:<>,*& ]+?[ >*&](\w+[^()]*|\w+\{[^;]*|\w+ = [^;]*);", line)
        if depth and stack[-1] is not None and member and "(" not in line.split("=")[0].split("{")[0]:
            names = re.sub(r"<[^<>]*>|\{[^}]*\}|\([^)]*\)", "", re.sub(r"<[^<>]*>", "", line))
            count[stack[-1]] += names.count(",") + 1
        for c in line:
            if c == "{":
                stack.append(None)
            elif c == "}" and stack:
                stack.pop()
    return count.items()


def main():
    texts = {sources.relative(p): p.read_text(encoding="utf-8") for p in sources.project_files()
             if p.suffix in (".hpp", ".cpp", ".py") and sources.relative(p).startswith(COUNTED)
             and not sources.relative(p).startswith(FACES)}
    files = {name: code_of(text) for name, text in texts.items()}
    problems = 0
    for kind, (most, names) in RECIPES.items():
        for name, expression in names.items():
            found = files_naming(expression, files)
            if "--list" in sys.argv:
                print(f"{kind} ({name}): {len(found)} of {most}", *found, sep="\n  ")
            if not found or len(found) > most:
                problems += 1
                print(f"{kind}: {len(found)} files name '{name}', the recipe promises 1 to {most}:", *found, sep="\n  ")
    large = {""}
    for name, code in files.items():
        for what, members in members_of(code) if name.startswith(("include/", "src/")) and name.endswith(".hpp") else []:
            large.add(what if members > MOST_MEMBERS else "")
            if members > MOST_MEMBERS and what not in PLAIN_DATA:
                problems += 1
                print(f"{name}: {what} has {members} data members, the limit is {MOST_MEMBERS}")
    for what in sorted(PLAIN_DATA - large):
        problems += 1
        print(f"tools/check_recipes.py: PLAIN_DATA names {what}, which is within the limit")
    if problems == 0:
        print(f"recipes: ok ({sum(len(names) for _, names in RECIPES.values())} names)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
