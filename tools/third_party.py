#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Puts the sources of the small C++ libraries that the Python package is built with into third_party/, which git ignores.

  third_party.py [--archives DIR] [--program]        --remove takes the folder away
  third_party.py --check [--program]                 changes nothing: exit 1 where an archive would be unpacked, or headers copied

--program: the headers that the command line program needs as well, where they are installed: for builds that must not look into /usr/include.
CMake uses them where a library is not installed, and source distributions take them along (make sdist), without those of the program. An archive
is taken from DIR, under whatever name, else downloaded; it counts only if its SHA-256 is in packaging/dependencies.json. On Debian
`apt-get source --download-only eigen3 fmtlib pugixml nlohmann-json3` fills such a folder. A library that is there already, with the files that
were unpacked and no others, stays; version.txt has its version and the SHA-256 of these files.
"""
import argparse
import fnmatch
import hashlib
import io
import pathlib
import re
import shutil
import sys
import tarfile
import urllib.request

import dependencies

FOLDER = dependencies.ROOT / "third_party"
WAIT = 60  # seconds for an answer


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def archive_of(d, given):
    """The bytes of an accepted archive, and its version."""
    versions = {a["sha256"]: a["version"] for a in d["archives"]}
    for digest, path in given.items():
        if digest in versions:
            return path.read_bytes(), versions[digest]
    first = d["archives"][0]
    try:
        with urllib.request.urlopen(first["url"], timeout=WAIT) as answer:
            data = answer.read()
    except OSError as error:
        sys.exit(f"third_party.py: {d['name']}: {first['url']} cannot be read ({error}); give the archive by --archives")
    if sha256(data) != first["sha256"]:
        sys.exit(f"third_party.py: {d['name']}: {first['url']} has SHA-256 {sha256(data)}, expected {first['sha256']}")
    return data, first["version"]


def digest_of(d):
    """Of all its files in third_party/, with their names, and of the patterns that they were chosen by."""
    target = FOLDER / d["folder"]
    digest = hashlib.sha256(repr(d["files"]).encode())
    for path in sorted(p for p in target.rglob("*") if p.is_file() and p != target / "version.txt"):
        digest.update(f"\n{path.relative_to(target).as_posix()} {sha256(path.read_bytes())}".encode())
    return digest.hexdigest()


def is_there(d):
    """Whether unpack() need not do anything: its files are those of an accepted version, and nobody has changed them."""
    written = FOLDER / d["folder"] / "version.txt"
    words = written.read_text(encoding="utf-8").split() if written.is_file() else []
    return len(words) == 2 and words[0] in {a["version"] for a in d["archives"]} and words[1] == digest_of(d)


def unpack(d, data, version):
    target = FOLDER / d["folder"]
    shutil.rmtree(target, ignore_errors=True)
    taken, missing = 0, set(d["files"])
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            inside = member.name.partition("/")[2]  # without the folder of the version
            matching = {p for p in d["files"] if fnmatch.fnmatchcase(inside, p)}
            if not member.isfile() or ".." in inside or not matching:
                continue
            missing -= matching
            path = target / inside
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.extractfile(member).read())
            taken += 1
    if missing:
        sys.exit(f"third_party.py: {d['name']}: the archive has no file named {', '.join(sorted(missing))}")
    (target / "version.txt").write_text(f"{version}\n{digest_of(d)}\n", encoding="utf-8")
    print(f"third_party/{d['folder']}: {d['name']} {version}, {taken} files")


def headers_of(d):
    """The folder where this machine has them, or None."""
    return next((pathlib.Path(name) for name in d["header_folders"] if pathlib.Path(name).is_dir()), None)


def same_files(a, b):
    """Whether two folders have the same files."""
    def contents(folder):
        return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return contents(a) == contents(b)


def headers_are_there(d):
    found, written = headers_of(d), FOLDER / d["folder"] / "version.txt"
    return found is not None and written.is_file() and same_files(found, FOLDER / d["folder"] / "include" / found.name)


def take_headers(d):
    found = headers_of(d)
    if not found:
        sys.exit(f"third_party.py: {d['name']}: not installed here (Debian: {d['names']['debian']})")
    target = FOLDER / d["folder"]
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(found, target / "include" / found.name)
    said = re.search(r'_VERSION "([0-9.]+)"', (found / "Version.hpp").read_text(encoding="utf-8"))
    version = said.group(1) if said else "unknown"
    (target / "version.txt").write_text(version + "\n", encoding="utf-8")
    print(f"third_party/{d['folder']}: {d['name']} {version}, {found}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--archives", type=pathlib.Path, metavar="DIR", help="a folder with archives that are there already")
    parser.add_argument("--program", action="store_true", help="the headers of the command line program, too")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--check", action="store_true", help="change nothing: exit 1 where an archive would be unpacked, or headers copied")
    only.add_argument("--remove", action="store_true", help="remove third_party/")
    arguments = parser.parse_args()
    if arguments.archives and not arguments.archives.is_dir():
        sys.exit(f"third_party.py: --archives {arguments.archives}: found no such folder")
    if arguments.remove:
        shutil.rmtree(FOLDER, ignore_errors=True)
        return 0
    needed = [d for d in dependencies.read() if "archives" in d and not is_there(d)]
    headers = [d for d in dependencies.read() if "header_folders" in d and arguments.program and not headers_are_there(d)]
    if arguments.check:
        return 1 if needed or headers else 0
    given = {sha256(p.read_bytes()): p for p in sorted(arguments.archives.iterdir()) if p.is_file()} if needed and arguments.archives else {}
    for d in needed:
        unpack(d, *archive_of(d, given))
    for d in headers:
        take_headers(d)
    for d in dependencies.read():
        if "installed" in d:
            found = [pathlib.Path(name) for name in d["installed"] if pathlib.Path(name).is_file()]
            shutil.rmtree(FOLDER / d["folder"], ignore_errors=True)
            if found:
                (FOLDER / d["folder"]).mkdir(parents=True)
                shutil.copyfile(found[0], FOLDER / d["folder"] / found[0].name)
            print(f"third_party/{d['folder']}: {d['name']}, {found[0] if found else 'not installed here, left out'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
