#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two builds of zwang ask the compiler for the same objects of the library: same_commands.py BUILD OTHER [FOLDER ...]

Compared are the commands of all sources below the folders (src, compat/kdl, compat/rbdl, compat/c), and the contents of the groups that sources are compiled in.
Places of the two builds count as the same, and so does whether headers are compiled before. Prints the first differences and fails.
"""
import json
import pathlib
import re
import shlex
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def plain(text, build, top):
    """`text` without the place of a build."""
    for place, name in ((top, "<build>"), (build, "<build>"), (SOURCE, "<source>")):
        text = text.replace(str(place), name)
    return text


def words_of(command, build, top):
    """What decides about an object, in order."""
    words, skip, given = [], 0, shlex.split(command)
    compiler = max((k + 1 for k, word in enumerate(given) if word.endswith(("ccache", "sccache"))), default=0)
    for word in given[compiler:]:
        if skip:
            skip -= 1
        elif word in ("-o", "-c", "-include", "-MT", "-MF"):
            skip = 1
        elif word not in ("-Winvalid-pch", "-MD") and not word.startswith("--param=ggc-"):
            words.append(plain(word, build, top))
    return words


def objects_of(build, folders):
    """{source or group: (words of its command, text of the group)}. A build of another project holds zwang's in a folder below."""
    build = pathlib.Path(build).resolve()
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        inside = re.search(r"^(.*?/)((?:src|compat/\w+)/CMakeFiles/\w+\.dir/Unity/.*)$", str(file))
        name = inside.group(2) if inside else plain(str(file), build, build).removeprefix("<source>/")
        if not name.startswith(tuple(folder + "/" for folder in folders)) or "cmake_pch" in name:
            continue
        top = pathlib.Path(inside.group(1)) if inside else build  # no source but groups lies in a build, and no command names another folder there
        target = re.search(r"CMakeFiles/(\w+)\.dir", entry["command"]).group(1)
        text = plain(file.read_text(), build, top) if inside else ""
        found[target, name] = words_of(entry["command"], build, top), text
    return found


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.splitlines()[0])
    folders = sys.argv[3:] or ["src", "compat/kdl", "compat/rbdl", "compat/c"]
    ours, theirs = (objects_of(build, folders) for build in sys.argv[1:3])
    if not ours:
        sys.exit(f"same commands: {sys.argv[1]} compiles nothing of {', '.join(folders)}")
    wrong = [f"{name} is compiled by one build alone" for _, name in sorted(set(ours) ^ set(theirs))]
    for key in sorted(set(ours) & set(theirs)):
        (our_words, our_text), (their_words, their_text) = ours[key], theirs[key]
        if our_words != their_words:
            only = [" ".join(w for w in a if w not in b) or "nothing" for a, b in ((our_words, their_words), (their_words, our_words))]
            wrong.append(f"{key[1]}: one build alone says {only[0]}, the other {only[1]}")
        elif our_text != their_text:
            wrong.append(f"{key[1]}: the group has other sources")
    for line in wrong[:10]:
        print(line)
    print(f"same commands: {len(wrong)} of {len(set(ours) | set(theirs))} objects differ" if wrong else f"same commands: ok ({len(ours)} objects)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
