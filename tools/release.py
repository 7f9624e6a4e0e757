#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes a release: tools/release.py 0.2.0 [--date 2026-11-30] (docs/versioning.md).

In a checkout without changes it writes the version where it is written (FILES), moves the fragments of changelog.d into the section of the
version, commits that, where something changed, and makes the annotated tag v0.2.0, after which `git describe` prints it. Refused are a
version below the project's or below a tag, a tag that is there, an empty section, and files of packages that disagree with the project.
Nothing leaves the machine: what to push is said at the end.
"""
import argparse
import datetime
import re
import sys

import changelog
import check_packages
import sources

VERSION = re.compile(r"\d+\.\d+\.\d+")
FILES = {  # where the version is written: the first is where it is read from, check_packages.py compares the others with it
    "CMakeLists.txt": r"^(project\(zwang VERSION )[0-9.]+",
    "CITATION.cff": r"^(version: )[0-9.]+",
    "package.xml": r"^(  <version>)[0-9.]+",
    "packaging/vcpkg/vcpkg.json": r'^(  "version": ")[0-9.]+',
    "packaging/conda/recipe.yaml": r'^(  version: ")[0-9.]+',
}
DAY = {"CITATION.cff": r"^(date-released: )[0-9-]+"}


class Refused(Exception):
    """What stands in the way."""


def git(*words):
    done = sources.git(*words)
    if done.returncode:
        raise Refused(f"git {' '.join(words[:2])}: {done.stderr.strip()}")
    return done.stdout.strip()


def numbers(version):
    return tuple(map(int, version.split(".")))


def look(version):
    """Refuses what cannot become this version."""
    if git("status", "--porcelain"):
        raise Refused("there are changes that are not committed (git status): a release is made of what is committed")
    if git("tag", "--list", f"v{version}"):
        raise Refused(f"the tag v{version} is there: a version is released once")
    released = [tag[1:] for tag in git("tag", "--list", "v*").splitlines() if VERSION.fullmatch(tag[1:])]
    known = check_packages.dependencies.project_version()
    for old in [*released, known]:
        if numbers(old) > numbers(version):
            raise Refused(f"{version} is below {old}, which " + ("is released" if old in released else "the project has"))


def write(patterns, value):
    for name, pattern in patterns.items():
        path = sources.ROOT / name
        text, found = re.subn(pattern, lambda m: m[1] + value, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        if found != 1:
            raise Refused(f"{name}: expected one line like '{pattern}', found {found}")
        path.write_text(text, encoding="utf-8")


def release(version, day):
    look(version)
    before = git("rev-parse", "HEAD")
    try:
        write(FILES, version)
        write(DAY, day)
        changelog.cut(sources.ROOT, version, day)
        keys = [key for key in check_packages.CHECKS if key != "conda" or check_packages.yaml]
        problems = list(check_packages.problems(check_packages.read(), keys))
        if problems:
            raise Refused("\n".join(problems))
        if git("status", "--porcelain"):
            git("add", "--all")
            git("commit", "--quiet", "--message", f"release: {version}")
        git("tag", "--annotate", f"v{version}", "--message", f"zwang {version}\n\n{changelog.introduction(sources.ROOT, version)}")
    except BaseException:  # an interruption, too
        git("reset", "--quiet", "--hard", before)  # the checkout had no changes of its own
        raise


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("version")
    parser.add_argument("--date", default=datetime.datetime.now(datetime.timezone.utc).date().isoformat(), help="of the release; default: today, UTC")
    arguments = parser.parse_args()
    try:
        if not VERSION.fullmatch(arguments.version):
            raise Refused(f"a version is MAJOR.MINOR.PATCH, as 0.2.0; got '{arguments.version}'")
        if not changelog.is_day(arguments.date):
            raise Refused(f"--date is a day like 2026-11-30; got '{arguments.date}'")
        release(arguments.version, arguments.date)
    except (Refused, changelog.Problem) as problem:
        print(f"release: {problem}", file=sys.stderr)
        return 1
    print(f"git describe: {git('describe')}\nnext: git push --follow-tags; tools/release_assets.py makes what is published beside it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
