#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What is published beside a release: the data of its benchmarks, as an archive, with the facts of the machine.

    tools/release_assets.py [RESULTS.json.gz ...] [--out build/release] [--earlier] [--version 0.2.0]

RESULTS are files of `zwang bench --json` (`make benchmarks` writes them); without them all of docs/benchmarks. The archive holds them as they
are, their pictures, and machine.json: for each file the version that it was measured with, processor, system, compiler, flags, instruction
set, and every other library with version and flags. Results of another version are refused but with --earlier. The same results give the
same bytes: no time of today, no user, no folder of this machine is in it.
"""
import argparse
import gzip
import hashlib
import io
import json
import pathlib
import sys
import tarfile

import dependencies

FOLDER = dependencies.ROOT / "docs/benchmarks"
FACTS = ("machine", "compiler", "flags", "instruction_set", "states", "batch", "rounds", "peers")


def facts(name, data, version, earlier):
    """The entry of machine.json for a file of results."""
    try:
        results = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
        entry = {"file": name, "measured_with": results["version"], "date": results["date"], **{key: results[key] for key in FACTS}}
    except (ValueError, KeyError, OSError) as problem:
        raise SystemExit(f"{name}: is no result of `zwang bench --json` ({type(problem).__name__}: {problem})") from None
    if entry["measured_with"] != version and not earlier:
        raise SystemExit(f"{name}: was measured with {entry['measured_with']}, not {version}; `make benchmarks` measures anew, --earlier takes it "
                         "all the same")
    return entry


def archive(folder, members):
    """A .tar.gz of {name: bytes} with nothing of today in it."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in sorted(members.items()):
            member = tarfile.TarInfo(f"{folder}/{name}")
            member.size, member.mode = len(data), 0o644
            tar.addfile(member, io.BytesIO(data))
    return gzip.compress(packed.getvalue(), compresslevel=9, mtime=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="*", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=dependencies.ROOT / "build/release")
    parser.add_argument("--version", default=dependencies.project_version(), help="of the release; default: the project's")
    parser.add_argument("--earlier", action="store_true", help="take results that were measured with another version")
    arguments = parser.parse_args()
    results = arguments.results or sorted(FOLDER.glob("*.json.gz"))
    if not results:
        raise SystemExit("there are no results: `make benchmarks` writes them into docs/benchmarks")
    if len({path.name for path in results}) != len(results):
        raise SystemExit("two results have the same name: an archive has a place for one")
    members, entries = {}, []
    for path in results:
        members[path.name] = path.read_bytes()
        entries.append(facts(path.name, members[path.name], arguments.version, arguments.earlier))
        picture = path.with_name(path.name.split(".")[0] + ".svg")
        if picture.is_file():
            members[picture.name] = picture.read_bytes()
    members["machine.json"] = (json.dumps({"version": arguments.version, "results": entries}, indent=1, ensure_ascii=False) + "\n").encode()
    name = f"zwang-{arguments.version}-benchmarks"
    data = archive(name, members)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / f"{name}.tar.gz").write_bytes(data)
    (arguments.out / "SHA256SUMS").write_text(f"{hashlib.sha256(data).hexdigest()}  {name}.tar.gz\n", encoding="utf-8")
    print(f"{name}.tar.gz: {len(members)} files, {len(data)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
