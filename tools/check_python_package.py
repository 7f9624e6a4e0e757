#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Python package as installed: modules show PyInit_ alone and are hardened; licence, notices and bill of materials are with it.

  check_python_package.py NM READELF      run by the Python in which zwang is installed
"""
import importlib.metadata
import json
import pathlib
import subprocess
import sys

TOOLS = pathlib.Path(__file__).resolve().parent


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: check_python_package.py NM READELF")
    files = [pathlib.Path(str(f.locate())) for f in importlib.metadata.files("zwang")]
    modules = [str(f) for f in files if f.suffix == ".so"]
    failed = not modules
    for check in (["check_exports.py", sys.argv[1]], ["check_hardening.py", sys.argv[2], "--module"]):
        failed |= subprocess.run([sys.executable, TOOLS / check[0], *check[1:], *modules], check=False).returncode != 0
    for name in ("LICENSE", "THIRD_PARTY_NOTICES.md", "zwang.cdx.json"):
        if not any(f.name == name and f.parent.parent.name.endswith(".dist-info") and f.is_file() for f in files):
            print(f"the package has no {name} in its .dist-info")
            failed = True
    for bill in (f for f in files if f.name == "zwang.cdx.json"):
        components = {c["name"]: c.get("version") for c in json.loads(bill.read_text(encoding="utf-8"))["components"]}
        print("made with", ", ".join(f"{name} {version or '(version unknown)'}" for name, version in components.items()))
        unknown = [name for name in ("Eigen", "fmt", "pugixml", "JSON for Modern C++", "nanobind") if not components.get(name)]
        if unknown:
            print(f"{bill.name} has no version of {', '.join(unknown)}")
            failed = True
    print("python package:", "FAILED" if failed else f"ok ({len(modules)} modules)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
