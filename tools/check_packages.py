#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files for package managers say what the project says: its version, and the dependencies of packaging/dependencies.json.

Looks at package.xml (ROS 2), packaging/conda, packaging/vcpkg, CITATION.cff, CHANGELOG.md, pyproject.toml, tools/install_dependencies.sh
and the CMake files. --self-test changes each of them in memory and expects a complaint. The recipe of conda is looked at by `--conda` and
`--conda --self-test` alone, which exit with 77 where this Python has no module yaml.
"""
import argparse
import json
import re
import sys
import xml.etree.ElementTree as xml

import dependencies

try:
    import yaml
except ImportError:
    yaml = None

BUILT = ("library", "cli")
ROS_TOOLS = {"cmake", "libgtest-dev"}
CONDA_TOOLS = {"python", "pip", "scikit-build-core"}
FILES = {"ros": "package.xml", "conda": "packaging/conda/recipe.yaml", "vcpkg": "packaging/vcpkg/vcpkg.json", "citation": "CITATION.cff",
         "pip": "pyproject.toml", "debian": "tools/install_dependencies.sh", "changelog": "CHANGELOG.md"}


def read():
    return {key: (dependencies.ROOT / name).read_text(encoding="utf-8") for key, name in FILES.items()}


def names(listed, manager, parts, contained=None):
    return {d["names"][manager] for d in listed if manager in d["names"] and set(d["parts"]) & set(parts)
            and (contained is None or d["contained"] == contained)}


def differ(where, found, wanted):
    if set(found) != set(wanted):
        yield f"{where}: missing {sorted(set(wanted) - set(found))}, too many {sorted(set(found) - set(wanted))}"


def version(where, found, wanted):
    if found != wanted:
        yield f"{where}: version {found}, the project has {wanted}"


def ros(text, listed, wanted):
    root = xml.fromstring(text)
    yield from version(FILES["ros"], root.findtext("version"), wanted)
    if root.get("format") != "3" or root.findtext("export/build_type") != "cmake":
        yield f"{FILES['ros']}: expected format 3 and build type cmake"
    found = {e.text for e in root if e.tag.endswith("depend")}
    yield from differ(FILES["ros"], found - ROS_TOOLS, names(listed, "ros", BUILT))
    public = {e.text for e in root if e.tag in ("depend", "build_export_depend")}
    needed = {d["names"]["ros"] for d in listed if d.get("public") or "pkgconfig" in d["names"]}
    yield from differ(f"{FILES['ros']}, <depend>", public, needed)


def conda(text, listed, wanted):
    recipe = yaml.safe_load(text)
    yield from version(FILES["conda"], recipe["context"]["version"], wanted)
    parts = {"libzwang": BUILT, "zwang": ("python",)}
    found = {output["package"]["name"]: output["requirements"] for output in recipe["outputs"]}
    yield from differ(FILES["conda"] + ", outputs", found, parts)
    for output in set(found) & set(parts):
        where = f"{FILES['conda']}, {output}"
        yield from differ(f"{where}, host", set(found[output]["host"]) - CONDA_TOOLS, names(listed, "conda", parts[output], True))
        yield from differ(f"{where}, run", set(found[output].get("run", [])) - CONDA_TOOLS, names(listed, "conda", parts[output], False))


def vcpkg(text, listed, wanted):
    port = json.loads(text)
    yield from version(FILES["vcpkg"], port["version"], wanted)
    found = {d for d in port["dependencies"] if isinstance(d, str)}
    yield from differ(FILES["vcpkg"], found, names(listed, "vcpkg", ("library",)))
    cli = names(listed, "vcpkg", ("cli",)) - names(listed, "vcpkg", ("library",))
    yield from differ(f"{FILES['vcpkg']}, feature cli", port["features"]["cli"]["dependencies"], cli)


def citation(text, _, wanted):
    yield from version(FILES["citation"], re.search(r"^version: (\S+)", text, re.MULTILINE).group(1), wanted)


def released(text, _, wanted):
    section = re.search(r"^## \[(\S+)\] - (\S+)$", text, re.MULTILINE)
    yield from version(FILES["changelog"] + ", first section", section and section[1], wanted)
    day = re.search(r"^date-released: (\S+)", (dependencies.ROOT / FILES["citation"]).read_text(encoding="utf-8"), re.MULTILINE)
    if section and (not day or day[1] != section[2]):
        yield f"{FILES['citation']}: date-released {day and day[1]}, {FILES['changelog']} says {section[2]}"


def pip(text, listed, _):
    def required(key):
        found = re.search(rf"^{key} = \[(.*)\]$", text, re.MULTILINE)
        return {re.match(r"[\w-]+", item).group(): item for item in re.findall(r'"([^"]+)"', found.group(1))}
    build, run = required("requires"), required("dependencies")
    yield from differ("pyproject.toml, requires", set(build) - {"scikit-build-core"}, names(listed, "pypi", ("python",), True))
    yield from differ("pyproject.toml, dependencies", run, names(listed, "pypi", ("python",), False))
    for d in listed:
        item = (build | run).get(d["names"].get("pypi"))
        if item and f">={d['minimum']}" not in item:
            yield f"pyproject.toml: '{item}', packaging/dependencies.json has at least {d['minimum']}"


def debian(text, listed, _):
    packages = set(re.search(r"packages=\((.*?)\)", text, re.DOTALL).group(1).split())
    missing = names(listed, "debian", BUILT) - packages
    if missing:
        yield f"{FILES['debian']}: does not install {sorted(missing)}"


def cmake(listed):
    asked = {}
    for path in dependencies.ROOT.glob("*/**/CMakeLists.txt"):
        if path.relative_to(dependencies.ROOT).parts[0] not in ("build", "third_party", ".venv"):
            for name in re.findall(r"zwang_dependency\((\S+?)[ )]", path.read_text(encoding="utf-8")):
                asked[name] = path.relative_to(dependencies.ROOT)
    known = {d["names"].get("cmake") for d in listed}
    return [f"{path}: zwang_dependency({name}), which packaging/dependencies.json does not have"
            for name, path in asked.items() if name not in known]


CHECKS = {"ros": ros, "conda": conda, "vcpkg": vcpkg, "citation": citation, "pip": pip, "debian": debian,
          "changelog": released}


def problems(texts, keys):
    listed, wanted = dependencies.read(), dependencies.project_version()
    for key in keys:
        yield from CHECKS[key](texts[key], listed, wanted)


def self_test(keys):
    texts = read()
    wrong = {"ros": ("<depend>fmt</depend>", ""), "conda": ("        - pugixml\n", ""), "vcpkg": ('"cli11"', '"cli12"'),
             "citation": ("version: ", "version: 9."), "pip": ("numpy >=", "numpy >=9."), "debian": ("libfmt-dev ", ""),
             "changelog": ("## [", "## [9.")}
    for key in keys:
        old, new = wrong[key]
        assert old in texts[key], f"{FILES[key]} has no '{old}' to take out"
        if not list(problems({**texts, key: texts[key].replace(old, new)}, [key])):
            sys.exit(f"check_packages.py: {FILES[key]} with '{old}' replaced by '{new}' was not refused")
    print("packages: what is wrong is refused")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--conda", action="store_true", help="look at the recipe of conda alone")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.conda and yaml is None:
        print(f"SKIPPED: {FILES['conda']} is not looked at: {sys.executable} has no module yaml (Debian: python3-yaml, pip: pyyaml)")
        return 77
    keys = ["conda"] if arguments.conda else [key for key in CHECKS if key != "conda"]
    if arguments.self_test:
        return self_test(keys)
    found = list(problems(read(), keys)) + ([] if arguments.conda else cmake(dependencies.read()))
    print("\n".join(found) if found else f"packages: ok (version {dependencies.project_version()})")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
