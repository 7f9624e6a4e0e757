#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""clang-tidy (.clang-tidy) on the lines of C++ that have changed: tools/check_tidy.py [--base REVISION] [--most N] [FILES]

Lines that differ from the base count, and files that are new; without --base it is where this branch left main, on main itself the
revision before. FILES are looked at as a whole. A header is looked at through a source that reaches it by fewest headers, a changed one where
there is one. What is known and stays stands in tools/tidy_baseline.txt (check, file, line of code); --write-baseline adds what is found.
--most N: at most N sources, those with most changed lines; the others are named as skipped. Exit 77: no clang-tidy, no git, no base.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

import check_layers
import sources

TOOL = "clang-tidy-14"
BASELINE = sources.ROOT / "tools/tidy_baseline.txt"
FLAGS = ["-std=c++20", "-DZWANG_LEVEL_PLAIN=1", '-DZWANG_VERSION="0"', "-DFMT_HEADER_ONLY=1", "-Wno-unknown-warning-option",
         "-isystem", "/usr/include/eigen3",
         *(f'-DZWANG_{word}="."' for word in ("CLI", "C_CONSUMER", "C_FOLDER", "C_LIBRARY", "FAILING_MALLOC", "FUZZ_CORPUS", "MODELS", "SHARED_ROBOTS"))]
FOLDERS = {  # part: where its quoted headers are, beside include/
    "src": ["src"], "tests/c": ["src", "tests", "compat/c/include"], "tests/kdl": ["tests", "compat/kdl/include"], "tests/rbdl": ["tests", "compat/rbdl/include"],
    "tests/no_allocation": ["src", "tests", "compat/c/include", "compat/kdl/include", "compat/rbdl/include"],
    "tests": ["src", "tests", "cli", "."], "cli": ["cli", "."], "viewer": ["."], "examples": [], "bench": [".", "bench"],
    "web": [".", "cli"], "compat/c": ["compat/c/src", "compat/c/include"], "compat/kdl": ["compat/kdl/src", "compat/kdl/include", "compat/kdl/include/kdl"],
    "compat/rbdl": ["compat/rbdl/src", "compat/rbdl/include"]}
ELSEWHERE = {  # folders of sources that are not looked at, and why
    "python": "nanobind and its headers are there where the module is built"}
FINDING = re.compile(r"^(\S+?):(\d+):(\d+): (?:error|warning): (.*) \[([\w.-]+)(?:,-warnings-as-errors)?\]$")


def git(*words):
    """What git says; None where it says nothing but that it failed."""
    done = sources.git(*words)
    return done.stdout.strip() if done.returncode == 0 else None


def needed(*words):
    done = sources.git(*words)
    if done.returncode:
        sys.exit(f"tidy: git {words[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


def base_of_branch():
    head = git("rev-parse", "HEAD")
    for main in ("origin/main", "main"):
        base = git("merge-base", "HEAD", main)
        if base and base != head:
            return base
    return git("rev-parse", "--verify", "--quiet", "HEAD~1")


def changed_lines(base):
    """{file: ranges of lines that differ from the base}, of the working tree; a new file is one range."""
    found, name = {}, None
    for line in needed("diff", "--unified=0", "--no-color", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/", "--diff-filter=d", base,
                       "--", "*.cpp", "*.hpp").splitlines():
        if line.startswith("+++ "):
            name = line[6:]
        else:
            match = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
            if match and match[2] != "0":
                found.setdefault(name, []).append([int(match[1]), int(match[1]) + int(match[2] or 1) - 1])
    for name in needed("ls-files", "--others", "--exclude-standard", "--", "*.cpp", "*.hpp").splitlines():
        found[name] = [[1, 1 << 30]]
    return found


def part_of(name):
    return max((part for part in FOLDERS if name.startswith(part + "/")), key=len, default=None)


def includers(texts):
    """{file: files that name it in an include}, the shortest first."""
    by = {}
    for name, text in texts.items():
        for quoted in re.findall(r'^#include "(.+?)"', text, re.MULTILINE):
            target = check_layers.resolve(sources.ROOT, name, quoted)
            if target:
                by.setdefault(target, set()).add(name)
    return {name: sorted(found, key=lambda n: (len(texts[n]), n)) for name, found in by.items()}


def nearest_source(header, by, preferred):
    """A source that reaches the header by fewest headers, one of the preferred where one of those is as near."""
    level, seen = [header], {header}
    while level:
        level = [name for before in level for name in by.get(before, []) if name not in seen]
        seen.update(level)
        found = [name for name in level if name.endswith(".cpp") and part_of(name)]
        if found:
            return next((name for name in found if name in preferred), found[0])
    return None


def through(changed):
    """({source: {file: ranges}}, files that no source of the parts above reaches)"""
    texts = {sources.relative(p): p.read_text(encoding="utf-8") for p in sources.project_files() if p.suffix in (".cpp", ".hpp")}
    looks = {name: {name: ranges} for name, ranges in changed.items() if name.endswith(".cpp") and part_of(name)}
    by = includers(texts) if any(name.endswith(".hpp") for name in changed) else {}
    left = [name for name in changed if name.endswith(".cpp") and name not in looks]
    for header in (name for name in changed if name.endswith(".hpp")):
        source = nearest_source(header, by, looks)
        if source:
            looks.setdefault(source, {})[header] = changed[header]
        else:
            left.append(header)
    return looks, left


def findings_of(source, lines, executable):
    words = [executable, "--quiet", "--line-filter=" + json.dumps([{"name": name, "lines": ranges} for name, ranges in lines.items()]),
             "--header-filter=(include|src|tests|cli|compat|viewer|bench|web)/.*", str(sources.ROOT / source), "--", *FLAGS,
             *(f"-I{sources.ROOT / folder}" for folder in ["include", *FOLDERS[part_of(source)]])]
    done = subprocess.run(words, capture_output=True, text=True, cwd=sources.ROOT)
    found = set()
    for line in done.stdout.splitlines():
        match = FINDING.match(line)
        if match:
            name = os.path.relpath(match[1], sources.ROOT)
            code = (sources.ROOT / name).read_text(encoding="utf-8").splitlines()[int(match[2]) - 1].strip()
            found.update((name, int(match[2]), check, match[4], code) for check in match[5].split(","))
    broken = [line for line in done.stdout.splitlines() + done.stderr.splitlines() if "clang-diagnostic-error" in line or "error reading" in line]
    return found, broken


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base")
    parser.add_argument("--most", type=int)
    parser.add_argument("--write-baseline", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    executable = shutil.which(TOOL)
    if not executable:
        print(f"SKIPPED: clang-tidy: there is no {TOOL} (tools/install_dependencies.sh tidy)")
        return 77
    base = arguments.base or base_of_branch()
    if not arguments.files and not base:
        print("SKIPPED: clang-tidy: this checkout has no revision before this one (git, --base)")
        return 77
    missing = [name for name in arguments.files if not (sources.ROOT / name).is_file()]
    if missing:
        sys.exit(f"tidy: no such file: {', '.join(missing)}")
    looks, left = through({name: [[1, 1 << 30]] for name in arguments.files} if arguments.files else changed_lines(base))
    order = sorted(looks, key=lambda s: -sum(min(b, 10**6) - a for ranges in looks[s].values() for a, b in ranges))
    chosen = order[:arguments.most] if arguments.most else order
    if len(chosen) < len(order):
        print(f"SKIPPED: clang-tidy on {len(order) - len(chosen)} of {len(order)} changed sources: `make lint` looks at all")
    if left:
        print(f"SKIPPED: clang-tidy does not look at {', '.join(left)}")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(lambda source: findings_of(source, looks[source], executable), chosen))
    broken = [line for _, lines in results for line in lines]
    known = set(BASELINE.read_text(encoding="utf-8").splitlines()) if BASELINE.exists() else set()
    found = sorted(set().union(*(f for f, _ in results)))
    new = [f for f in found if f"{f[2]}\t{f[0]}\t{f[4]}" not in known]
    if arguments.write_baseline and not broken:
        lines = known | {f"{check}\t{name}\t{code}" for name, _, check, _, code in new}
        BASELINE.write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")
        print(f"{sources.relative(BASELINE)}: {len(new)} findings more, {len(lines)} in all")
        return 0
    for line in broken:
        print(line)
    for name, line, check, text, _ in new:
        print(f"{name}:{line}: {text} [{check}]")
    if not new and not broken:
        print(f"tidy: ok ({len(chosen)} sources, {len(found)} known findings)")
    return 1 if new or broken else 0


if __name__ == "__main__":
    sys.exit(main())
