#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a software bill of materials (CycloneDX 1.5, JSON) of some parts of zwang.

  make_sbom.py --part library --part cli --version-of fmt=9.1.0 ... OUTPUT

What it names comes from packaging/dependencies.json, versions from whoever built (CMake passes those that it found, by CMake's names).
A version that nobody knows is left out, `unknown` says that a part is there nevertheless; an optional part that is not in --version-of is
not there. The file depends on its input alone; SOURCE_DATE_EPOCH adds its time.
"""
import argparse
import datetime
import json
import os
import pathlib
import sys

import dependencies


def component(d, versions):
    found = versions.get(d["names"].get("cmake"), "").replace("unknown", "")
    key = d["name"].lower().replace(" ", "-")
    result = {"type": "library", "bom-ref": key, "name": d["name"]}
    if found:
        result["version"] = found
    result["scope"] = "required"
    within = [w for w in d.get("within", []) if not w.get("sources")]
    licences = dict.fromkeys([d["licence"], *(w["licence"] for w in within)])
    result["licenses"] = [{"license": {"name" if name.startswith("LicenseRef-") else "id": name.removeprefix("LicenseRef-")}} for name in licences]
    if "copyright" in d:
        result["copyright"] = "\n".join([*d["copyright"], *(line for w in within for line in w["copyright"])])
    result["purl"] = purl(d, found)
    result["externalReferences"] = [{"type": "website", "url": d["homepage"]}, {"type": "vcs", "url": d["source"]}]
    result["properties"] = [{"name": "zwang:contained", "value": "true" if d["contained"] else "false"}]
    return result


def purl(d, version):
    place = d["source"].removeprefix("https://")
    host, _, path = place.partition("/")
    if "pypi" in d["names"]:
        name = f"pkg:pypi/{d['names']['pypi']}"
    elif host == "github.com":
        name = f"pkg:github/{path.lower()}"
    else:
        name = f"pkg:generic/{path.rpartition('/')[2]}"
    return f"{name}@{version}" if version else name


def bill(parts, versions):
    version = dependencies.project_version()
    used = [component(d, versions) for d in dependencies.read()
            if set(d["parts"]) & set(parts) and (not d.get("optional") or d["names"].get("cmake") in versions)]
    root = {"type": "application" if parts == ["cli"] else "library", "bom-ref": "zwang", "name": "zwang", "version": version,
            "licenses": [{"license": {"id": "BSD-3-Clause"}}],
            "properties": [{"name": "zwang:part", "value": part} for part in parts]}
    if parts == ["python"]:
        root["purl"] = f"pkg:pypi/zwang@{version}"
    metadata = {"component": root}
    if os.environ.get("SOURCE_DATE_EPOCH"):
        moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
        metadata["timestamp"] = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": metadata, "components": used,
            "dependencies": [{"ref": "zwang", "dependsOn": [c["bom-ref"] for c in used]}]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", action="append", required=True, choices=dependencies.PARTS)
    parser.add_argument("--version-of", action="append", default=[], metavar="NAME=VERSION")
    parser.add_argument("output", type=pathlib.Path)
    arguments = parser.parse_args()
    known = {d["names"].get("cmake") for d in dependencies.read()}
    versions = {}
    for item in arguments.version_of:
        name, equals, version = item.partition("=")
        if not equals or name not in known:
            sys.exit(f"make_sbom.py: --version-of {item}: expected NAME=VERSION with a name of {', '.join(sorted(known - {None}))}")
        versions[name] = version
    text = json.dumps(bill(arguments.part, versions), indent=1, ensure_ascii=False) + "\n"
    if not arguments.output.exists() or arguments.output.read_text(encoding="utf-8") != text:
        arguments.output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
