#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sources that ask the operating system for something compile for the systems of cmake/toolchains/zig.cmake.

  check_systems.py [TARGET ...]     without any: all of them

Those are sources that name a system, include a header of one, or include a header of the project that does. Everything else is standard C++,
which `tools/test_compiler.sh --zig TARGET` compiles. zig comes from PyPI into build/zig_env, once for each version (pyproject.toml); where it
cannot be had the exit code is 77.

  check_systems.py --install        prints the program's path, and compiles nothing
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import check_alone
import sources

HEADERS = "sys/|mach|windows|unistd|fcntl|signal|dlfcn|pthread|sched|cpuid|poll|termios|dirent|pwd|spawn|execinfo|netdb"
ASKS = re.compile(rf"\b(_WIN32|__APPLE__|__linux__)\b|#include <({HEADERS})", re.M)
FOLDERS = ["include", "src", "cli", "viewer", "compat"]  # bench/ is for Linux
INCLUDED = ["include", "src", "cli", ".", "compat/c/include", "compat/kdl/include", "compat/rbdl/include"]
# Headers alone: of the libraries nothing is linked here.
LIBRARIES = {"Eigen": "/usr/include/eigen3/Eigen", "fmt": "/usr/include/fmt", "nlohmann": "/usr/include/nlohmann", "CLI": "/usr/include/CLI",
             "pugixml.hpp": "/usr/include/pugixml.hpp", "pugiconfig.hpp": "/usr/include/pugiconfig.hpp"}


def of_zig_cmake():
    """Targets, and what zig is told there."""
    text = (sources.ROOT / "cmake/toolchains/zig.cmake").read_text(encoding="utf-8")
    lines = r"^set\(targets (.*)\)$", r'^set\(CMAKE_CXX_FLAGS_INIT "(.*)"\)$'
    return [re.search(line, text, re.M).group(1).split() for line in lines]


def zig(quiet=False):
    """The program, installed where this version is not there; None where PyPI cannot be reached."""
    text = (sources.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    wanted = re.search(r'^zig = \["(ziglang) *(==[^"]*)"\]$', text, re.M)
    wanted = wanted.group(1) + wanted.group(2)
    place = sources.ROOT / "build/zig_env"
    version = place / "version"
    if not (version.is_file() and version.read_text(encoding="utf-8") == wanted):
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(place)], check=True)
        if subprocess.run([str(place / "bin/pip"), "install", "--quiet", "--disable-pip-version-check", wanted], stdout=sys.stderr).returncode:
            print(f"SKIPPED: other systems: PyPI cannot be reached, or has no {wanted}", file=sys.stderr if quiet else sys.stdout)
            return None
        version.write_text(wanted, encoding="utf-8")
    return next(place.glob("lib/python*/site-packages/ziglang/zig"))


def asking():
    """Sources that ask, by themselves or through headers that do."""
    files = [path for folder in FOLDERS for ending in ("*.[ch]pp", "*.h") for path in sorted((sources.ROOT / folder).rglob(ending))]
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    asks = {path for path in files if ASKS.search(texts[path])}
    while True:
        names = "|".join(sorted(re.escape(path.name) for path in asks if path.suffix != ".cpp"))
        more = {path for path in files if names and re.search(rf'^#include [<"]([^">]*/)?({names})[">]', texts[path], re.M)} - asks
        if not more:
            break
        asks |= more
    found = [path for path in files if path in asks and path.suffix == ".cpp"]
    if not found:
        sys.exit("check_systems.py: no source asks the system: ASKS or FOLDERS are out of date")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    known, flags = of_zig_cmake()
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(known))
    parser.add_argument("--install", action="store_true")
    arguments = parser.parse_args()
    for target in arguments.targets:
        if target not in known:
            parser.error(f"'{target}' is none of {', '.join(known)}")
    if arguments.install:
        program = zig(quiet=True)
        print(program or "", end="\n" if program else "")
        return 0 if program else 77
    missing = [name for name, path in LIBRARIES.items() if not pathlib.Path(path).exists()]
    if missing:
        print(f"SKIPPED: other systems: no headers of {', '.join(missing)} in /usr/include")
        return 77
    program = zig()
    if program is None:
        return 77
    files = asking()
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(sources.ROOT / "build/zig_env/cache")}
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, path in LIBRARIES.items():  # not all of /usr/include: the rest of it is this system's
            (pathlib.Path(folder) / name).symlink_to(path)
        for target in arguments.targets or known:
            for path in files:
                command = [program, "c++", "-target", target, "-std=c++20", *flags, *check_alone.WARNINGS, '-DZWANG_VERSION="0"',
                           "-DZWANG_BUILT_LEVELS=LEVEL(generic,plain)", "-DFMT_HEADER_ONLY=1", "-isystem", folder,
                           *(f"-I{sources.ROOT / name}" for name in INCLUDED),
                           *(f'-DZWANG_{name}="{sources.ROOT / "viewer" / file}"' for name, file in
                             (("PLAYER_JS", "player.js"), ("PAGE_CSS", "page.css"))),
                           "-c", path, "-o", f"{folder}/object"]
                done = subprocess.run(command, capture_output=True, text=True, env=environment)
                if done.returncode:
                    failed += 1
                    print(f"{sources.relative(path)} does not compile for {target}:\n{done.stderr}")
    if not failed:
        print(f"other systems: ok ({len(files)} sources, {', '.join(arguments.targets or known)})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
