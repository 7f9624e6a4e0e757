#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The kernels of one instruction set define nothing that other code might take for its own, and nobody else uses their instructions.

The linker keeps one copy of an inline function for all who define it. A kernel compiled for AVX-512 that emits std::vector::resize, or
a function of the library outside of its level's namespace, may so put AVX-512 into ordinary code: the program then dies on other
machines, depending on the order of linking. Two checks on the static library:
  1. an object that defines symbols of zwang::v3 or v4 defines no other weak or global ones;
  2. registers and instructions of AVX appear only in functions of zwang::v3 and zwang::v4.
"""
import itertools
import re
import subprocess
import sys

LEVELS = re.compile(r"\bzwang::(v[34])::")
# A pointer to the language's own handler for exceptions, not code.
HARMLESS = {"DW.ref.__gxx_personality_v0"}
AVX = re.compile(r"%[yz]mm|%xmm(1[6-9]|2[0-9]|3[01])|%k[1-7]\b|^\s*[0-9a-f]+:\s+v(?!err|erw|mcall|mfunc|mlaunch|mresume|mxo)[a-z0-9]+\s")


def strays(nm, library):
    """Symbols of leveled objects outside of their level's namespace."""
    lines = subprocess.run([nm, "-A", "-C", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    parsed = []
    for line in lines.splitlines():
        match = re.match(r"(.*?):([0-9a-f ]{16}) (\w) (.*)", line)
        if match:
            parsed.append((match[1], match[3], match[4]))
    objects = 0
    for member, symbols in itertools.groupby(parsed, key=lambda x: x[0]):
        symbols = list(symbols)
        levels = {m[1] for _, _, name in symbols for m in [LEVELS.search(name)] if m}
        if not levels:
            continue
        objects += 1
        if len(levels) > 1:
            yield f"{member}: symbols of {', '.join(sorted(levels))} in one object"
        for _, kind, name in symbols:
            if kind in "TWVuBDR" and name not in HARMLESS and not LEVELS.search(name):
                yield f"{member}: {kind} {name[:150]}"
    if objects == 0:
        yield "no kernels of further instruction sets in this library"


def foreign_instructions(objdump, library):
    """Functions outside of zwang::v3 and zwang::v4 that use AVX."""
    process = subprocess.Popen([objdump, "-d", "-C", "--no-show-raw-insn", library], stdout=subprocess.PIPE, text=True)
    name, seen = "", set()
    for line in process.stdout:
        if line.endswith(">:\n"):
            name = line.split("<", 1)[1][:-3]
        elif name and not re.search(r"zwang::v[34]::", name) and AVX.search(line) and name not in seen:
            seen.add(name)
            yield f"{name[:150]}: {line.strip()}"
    if process.wait() != 0:
        yield f"{objdump}: exit code {process.returncode}"


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: check_levels.py NM OBJDUMP LIBRARY")
    nm, objdump, library = sys.argv[1:]
    found = list(strays(nm, library)) + list(foreign_instructions(objdump, library))
    for line in found[:15]:
        print(line)
    if len(found) > 15:
        print(f"... and {len(found) - 15} more")
    print(f"levels: {'ok' if not found else 'code of one instruction set may reach another machine'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
