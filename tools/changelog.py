#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""CHANGELOG.md is made of fragments: changelog.d/NAME.md, a file for each change, so that two changes never edit the same place.

    tools/changelog.py              prints the section that a cut would make
    tools/changelog.py --check      refuses fragments that are not in the form below, and a CHANGELOG.md that is not
    tools/changelog.py --cut 0.2.0 [--date 2026-11-30]
                                    moves all fragments into the section of that version, a new one on top where there is none

A fragment is bullets, below headings that say the subject (### Python; those of the last version come first). Bullets before the first
heading belong to OTHER. A line has at most COLUMNS columns. A cut takes the fragments away; git has them.
"""
import argparse
import datetime
import re
import sys

import sources

PAGE, FOLDER = "CHANGELOG.md", "changelog.d"
GUIDE = "README.md"  # in FOLDER: what a fragment is
OTHER = "Beside these"
COLUMNS = 160
SECTION = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})$")


class Problem(Exception):
    """What is wrong, with its place."""


def is_day(text):
    """A day of the calendar, written as 2026-11-30."""
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def fragments(root):
    folder = root / FOLDER
    return sorted(path for path in folder.glob("*") if path.name != GUIDE) if folder.is_dir() else []


def bullets(text, where):
    """{subject: bullets, each a text of one or several lines} of a fragment or of a section."""
    found, subject = {}, OTHER
    for number, line in enumerate(text.splitlines(), 1):
        place = f"{where}:{number}"
        if len(line) > COLUMNS:
            raise Problem(f"{place}: {len(line)} columns, the limit is {COLUMNS}")
        if line.startswith("### ") and line[4:].strip():
            subject = line[4:].strip()
        elif line.startswith("- ") and line[2:].strip():
            found.setdefault(subject, []).append(line)
        elif line.startswith("  ") and line.strip() and found.get(subject):
            found[subject][-1] += "\n" + line
        elif line.strip():
            raise Problem(f"{place}: expected a bullet ('- …'), its next line (two spaces) or a subject ('### …'), found '{line}'")
    if not found:
        raise Problem(f"{where}: has no bullet")
    return found


def read_fragments(root):
    joined = {}
    for path in fragments(root):
        where = sources.relative(path, root)
        if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*\.md", path.name):
            raise Problem(f"{where}: a fragment is named like curved-joints.md: small letters, digits, '-', '_'")
        for subject, lines in bullets(path.read_text(encoding="utf-8"), where).items():
            joined.setdefault(subject, []).extend(lines)
    return joined


def sections(root):
    """(what stands before the first version, [(version, date, introduction, {subject: bullets})]), newest first."""
    head, *rest = re.split(r"^(?=## )", (root / PAGE).read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = []
    for part in rest:
        title, _, body = part.partition("\n")
        match = SECTION.match(title)
        if not match or not is_day(match[2]):
            raise Problem(f"{PAGE}: '{title}' is no section of a version ('## [0.2.0] - 2026-11-30'); what is not released stands in {FOLDER}/")
        introduction, mark, lists = body.partition("\n### ")
        found.append((match[1], match[2], introduction.strip(), bullets(mark + lists, f"{PAGE}, {match[1]}") if mark else {}))
    order = [tuple(map(int, version.split("."))) for version, *_ in found]
    if order != sorted(set(order), reverse=True):
        raise Problem(f"{PAGE}: versions stand newest first, each once; found {', '.join(v for v, *_ in found)}")
    return head.rstrip() + "\n", found


def written(version, date, introduction, lists, order):
    known = [subject for subject in order if subject in lists]
    new = sorted(subject for subject in lists if subject not in known and subject != OTHER)
    parts = [f"## [{version}] - {date}\n", *([introduction + "\n"] if introduction else [])]
    for subject in known + new + ([OTHER] if OTHER in lists and OTHER not in known else []):
        parts.append(f"### {subject}\n" + "\n".join(lists[subject]) + "\n")
    return "\n".join(parts)


def cut(root, version, date):
    """Writes the section, with this date, and removes the fragments; True where something changed."""
    head, found = sections(root)
    joined = read_fragments(root)
    if not joined and version not in [name for name, *_ in found]:
        raise Problem(f"{FOLDER} has no fragment: there is nothing that {version} would say")
    if found and tuple(map(int, version.split("."))) < tuple(map(int, found[0][0].split("."))):
        raise Problem(f"{PAGE}: {version} is older than {found[0][0]}")
    if not found or found[0][0] != version:
        found.insert(0, (version, date, "", {}))
    order = list(found[0][3]) or list(found[1][3] if len(found) > 1 else {})
    lists = {subject: list(lines) for subject, lines in found[0][3].items()}
    for subject, lines in joined.items():
        lists.setdefault(subject, []).extend(lines)
    found[0] = (version, date, found[0][2], lists)
    page = "\n".join([head, *(written(*section, order if k == 0 else list(section[3])) for k, section in enumerate(found))])
    changed = page != (root / PAGE).read_text(encoding="utf-8")
    (root / PAGE).write_text(page, encoding="utf-8")
    for path in fragments(root):
        path.unlink()
    return changed or bool(joined)


def introduction(root, version):
    """What a section says before its first subject."""
    return next((text for name, _, text, _ in sections(root)[1] if name == version), "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--cut", metavar="VERSION")
    parser.add_argument("--date", default=datetime.datetime.now(datetime.timezone.utc).date().isoformat())
    arguments = parser.parse_args()
    root = sources.ROOT
    try:
        if arguments.cut:
            if not re.fullmatch(r"\d+\.\d+\.\d+", arguments.cut) or not is_day(arguments.date):
                raise Problem(f"--cut takes a version like 0.2.0 and --date a day like 2026-11-30; got '{arguments.cut}', '{arguments.date}'")
            changed = cut(root, arguments.cut, arguments.date)
            print(f"{PAGE}: {arguments.cut} " + ("has what the fragments say" if changed else f"is cut, {FOLDER} has no fragment"))
            return 0
        _, found = sections(root)
        joined = read_fragments(root)
        if arguments.check:
            print(f"changelog: ok ({len(fragments(root))} fragments, {len(found)} versions)")
        elif joined:
            print(written("next", arguments.date, "", joined, list(found[0][3]) if found else []), end="")
    except Problem as problem:
        print(f"changelog: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
