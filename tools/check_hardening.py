#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program or module was compiled and linked with the checks that cmake/flags.cmake promises (zwang_harden).

  check_hardening.py READELF [--library|--module] FILE ...

--library: read-only tables alone, as in a shared library; --module: a Python module, which may have no copy that could be checked.
"""
import re
import subprocess
import sys


def missing(readelf, path, kind):
    def says(*options):
        return subprocess.run([readelf, "-W", *options, path], check=True, capture_output=True, text=True).stdout
    dynamic, segments, symbols = says("-d"), says("-l"), says("--dyn-syms")
    if not re.search(r"GNU_RELRO", segments) or not re.search(r"BIND_NOW|FLAGS_1\).*\bNOW\b", dynamic):
        yield "tables of addresses stay writable (-z relro, -z now)"
    if not re.search(r"GNU_STACK\s.*\sRW\s", segments):
        yield "its stack may be executed"
    if kind == "--library":
        return
    if not re.search(r"^\s*Type:\s+DYN", says("-h"), re.MULTILINE):
        yield "it is always loaded at the same address (-pie)"
    if "__stack_chk_fail" not in symbols:
        yield "no function checks its stack (-fstack-protector-strong)"
    if kind != "--module" and not re.search(r"UND __\w+_chk\b", symbols.replace("__stack_chk_fail", "")):
        yield "no copy is checked (_FORTIFY_SOURCE)"


def main():
    arguments = sys.argv[1:]
    kind = next((a for a in arguments if a in ("--library", "--module")), "")
    arguments = [a for a in arguments if a != kind]
    if len(arguments) < 2:
        sys.exit("usage: check_hardening.py READELF [--library|--module] FILE ...")
    found = [f"{path}: {what}" for path in arguments[1:] for what in missing(arguments[0], path, kind)]
    print("\n".join(found) if found else f"hardening: ok ({len(arguments) - 1} files)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
