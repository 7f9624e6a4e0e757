#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a compiled program knows of the C interface is what compat/c/abi.txt says: constants, structs, functions, and what the library shows.

  check_c_abi.py [--compiler CC] [--nm NM --library libzwang_c.so]      exit 77 where a pointer has no 64 bits
  check_c_abi.py --write                    after a change: the file anew
  check_c_abi.py --self-test                a change of each kind is seen

Lines that are new are an addition. Of a line that is gone or says something else, programs must be compiled again: ZWANG_ABI is raised, and
--write refuses until it is.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

from sources import ROOT

HEADER = ROOT / "compat/c/include/zwang.h"  # and zwang_lists.h beside it
RECORD = ROOT / "compat/c/abi.txt"


def read(text):
    """({constant}, {struct: members}, {function: declaration}) of a header that is written in the style of zwang.h."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    constants = [name for body in re.findall(r"\benum \{(.*?)\}", text, re.DOTALL) for name in re.findall(r"(\w+) =", body)]
    structs = {}
    for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\} \1;", text, re.DOTALL):
        members = []
        for line in body.split(";"):
            for part in line.split(",") if line.strip() else []:
                members.append(re.search(r"(\w+)(?:\[\w+\])?\s*$", part).group(1))
        structs[name] = members
    functions = {}
    for declaration in re.findall(r"^(?!typedef|extern|enum)[a-z][\w \*]*?\bzwang_\w+\([^)]*\);", text, re.M):
        plain = " ".join(declaration.split())
        functions[re.search(r"(zwang_\w+)\(", plain).group(1)] = plain
    return constants, structs, functions


def lines_of(header, compiler):
    """The record of a header, or None where a pointer has no 64 bits."""
    lists = header.with_name("zwang_lists.h")
    constants, structs, functions = read(lists.read_text(encoding="utf-8") + header.read_text(encoding="utf-8"))
    prints = ['  printf("ZWANG_ABI %d\\n", ZWANG_ABI);']
    prints += [f'  printf("constant {name} %d\\n", (int){name});' for name in constants]
    for name, members in structs.items():
        prints.append(f'  printf("struct {name} %zu\\n", sizeof({name}));')
        prints += [f'  printf("member {name}.{m} at %zu of %zu\\n", offsetof({name}, {m}), sizeof((({name}*)0)->{m}));' for m in members]
    program = ("#include <stdio.h>\n#include \"zwang.h\"\nint main(void) {\n  if (sizeof(void*) != 8) return 77;\n"
               + "\n".join(prints) + "\n  return 0;\n}\n")
    with tempfile.TemporaryDirectory() as folder:
        source, binary = pathlib.Path(folder) / "abi.c", pathlib.Path(folder) / "abi"
        source.write_text(program, encoding="utf-8")
        subprocess.run([compiler, "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", f"-I{header.parent}", source, "-o", binary], check=True)
        done = subprocess.run([binary], capture_output=True, text=True, check=False)
    if done.returncode == 77:
        return None
    return done.stdout.splitlines() + [f"function {functions[name]}" for name in sorted(functions)]


def shown(nm, library):
    listed = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in listed if line.split()[-2:-1] != ["A"]}


def abi_of(record):
    return next(line for line in record if line.startswith("ZWANG_ABI "))


def broken(record, now):
    """Sentences on lines without which a program must be compiled again, where ZWANG_ABI does not say so."""
    gone = [line for line in record if line not in now]
    if gone and int(abi_of(now).split()[1]) > int(abi_of(record).split()[1]):
        return []
    return [f"gone or changed, so that programs must be compiled again (raise ZWANG_ABI): {line}" for line in gone]


def differences(record, now):
    """Sentences on what has changed."""
    gone, new = [line for line in record if line not in now], [line for line in now if line not in record]
    yield from broken(record, now) or (f"gone or changed (check_c_abi.py --write): {line}" for line in gone)
    yield from (f"new (check_c_abi.py --write): {line}" for line in new)


def self_test(compiler):
    changes = {"a constant": ("ZWANG_IN_USE = 101", "ZWANG_IN_USE = 201"), "the type of a member": ("  double number;", "  float number;"),
               "the order of members": ("  int lanes;", "  int before, lanes;"),
               "an argument": ("int zwang_data_free(zwang_data* data);", "int zwang_data_free(zwang_data* data, int n);"),
               "a function": ("int zwang_abi(void);", "int zwang_abi(void);\nint zwang_more(void);")}
    wrong = 0
    headers = {name: (HEADER.parent / name).read_text(encoding="utf-8") for name in ("zwang.h", "zwang_lists.h")}
    record = lines_of(HEADER, compiler)
    for what, (old, new) in changes.items():
        with tempfile.TemporaryDirectory() as folder:
            for name, text in headers.items():
                (pathlib.Path(folder) / name).write_text(text.replace(old, new), encoding="utf-8")
            changed = any(old in text for text in headers.values())
            if not changed or not list(differences(record, lines_of(pathlib.Path(folder) / "zwang.h", compiler))):
                print(f"check_c_abi.py: a change of {what} is not seen")
                wrong = 1
    return wrong or self_test_of_writing(record)


def self_test_of_writing(record):
    """What --write refuses: less or something else under the same ZWANG_ABI."""
    raised = ["ZWANG_ABI 1000000" if line == abi_of(record) else line for line in record]
    lowered = ["ZWANG_ABI 0" if line == abi_of(record) else line for line in record]
    for what, now, refused in (("nothing new", record, False), ("a new line", [*record, "constant ZWANG_MORE 1"], False),
                               ("a line that is gone", record[:-1], True), ("a line that is gone under a higher ZWANG_ABI", raised[:-1], False),
                               ("a lower ZWANG_ABI", lowered, True)):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder) / "abi.txt"
            place.write_text("\n".join(record) + "\n", encoding="utf-8")
            problems = write(place, now)
            written = place.read_text(encoding="utf-8").splitlines()
            if bool(problems) != refused or written != (record if refused else now):
                print(f"check_c_abi.py: {what} is {'written' if refused else 'refused'}")
                return 1
    return 0


def write(place, now):
    """Writes the record; sentences on why it was not."""
    problems = broken(place.read_text(encoding="utf-8").splitlines(), now) if place.is_file() else []
    if not problems:
        place.write_text("\n".join(now) + "\n", encoding="utf-8")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--nm")
    parser.add_argument("--library")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    now = lines_of(HEADER, arguments.compiler)
    if now is None:
        print("check_c_abi.py: the record is that of machines whose pointers have 64 bits")
        return 77
    if arguments.self_test:
        return self_test(arguments.compiler)
    if arguments.write and (problems := write(RECORD, now)):
        print("\n".join(problems))
        return 1
    problems = list(differences(RECORD.read_text(encoding="utf-8").splitlines(), now))
    if arguments.library:
        declared = {re.search(r"(zwang_\w+)\(", line).group(1) for line in now if line.startswith("function ")}
        found = shown(arguments.nm, arguments.library)
        problems += [f"zwang.h declares {name}, which the library does not show" for name in sorted(declared - found)]
        problems += [f"the library shows {name}, which zwang.h does not declare" for name in sorted(found - declared)]
    print("\n".join(problems) if problems else f"C interface: ok ({len(now)} lines)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
