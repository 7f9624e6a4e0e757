# SPDX-License-Identifier: BSD-3-Clause
"""The one list of what zwang is made with (packaging/dependencies.json), for the tools that write or check something from it."""
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "packaging" / "dependencies.json"
PARTS = ("library", "cli", "python")  # what is built; the fourth, "site", is the documentation


def read(path=LIST):
    dependencies = json.loads(path.read_text(encoding="utf-8"))["dependencies"]
    for d in dependencies:
        where = f"{path.name}: {d.get('name', 'an entry without a name')}"
        for key in ("name", "licence", "homepage", "source", "parts", "contained", "names"):
            if key not in d:
                raise SystemExit(f"{where}: the key '{key}' is missing")
        if not d["parts"] or set(d["parts"]) - {*PARTS, "site"}:
            raise SystemExit(f"{where}: parts are {d['parts']}, expected some of {', '.join(PARTS)}, site")
        if d["contained"] and not (d.get("texts") and d.get("copyright")):
            raise SystemExit(f"{where}: what becomes part of zwang needs 'texts' and 'copyright'")
        for w in d.get("within", []):
            if not (w.get("files") and w.get("licence") and w.get("copyright")) or "texts" not in w:
                raise SystemExit(f"{where}: an entry of 'within' needs 'files', 'licence', 'copyright' and 'texts'")
    return dependencies


def project_version():
    """The version in CMakeLists.txt, where it is written."""
    found = re.search(r"^project\(zwang VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)
    if not found:
        raise SystemExit("CMakeLists.txt: found no line 'project(zwang VERSION ...'")
    return found.group(1)
