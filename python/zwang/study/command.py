# SPDX-License-Identifier: BSD-3-Clause
"""python -m zwang study study.json: what `zwang study` runs."""
from __future__ import annotations

import argparse
import contextlib
import json
import signal
import sys
import warnings
from typing import Any

import numpy as np

from .. import _zwang as zw
from ._errors import BlockFailed, FailedBlocks, StudyError, StudyWarning
from ._json import read_json
from .description import Study, from_document, read_study
from .engines import speaks
from .results import StudyResults

OK, USAGE, REFUSED, FAILED, IO, INTERRUPTED = 0, 1, 2, 3, 5, 130


def add_parser(commands: Any) -> None:
    command = commands.add_parser(
        "study", help="calculations over many states, on one core or a cluster, resumable",
        description="Computes the blocks of a study that its folder does not have yet, and says what was found.",
        epilog="Exit codes: 0 all blocks are there and all states are ok, 1 usage, 2 the study or its robot is refused, 3 some blocks failed "
               "or some states are not ok, 5 a file, the disk, a package or an engine, 130 interrupted.")
    command.add_argument("file", metavar="study.json", help="a study's document (zw.Study); - is the standard input")
    command.add_argument("--out", help="the folder of the results; what it has of this study is kept")
    command.add_argument("--engine", default="local", help="local, processes[:N], dask[:N], dask://HOST:PORT, ray[:N], ray://HOST:PORT, mpi")
    command.add_argument("--threads", type=int, help="of each worker")
    command.add_argument("--fail-fast", action="store_true", help="stop at the first block that fails")
    command.add_argument("--check", action="store_true", help="read what is there, and compute anew what is not as it was written")
    command.add_argument("--dry-run", action="store_true", help="try the first state, say what would be computed, and stop")
    command.add_argument("--json", action="store_true", help="one JSON document on standard output, nothing else")
    command.add_argument("--quiet", action="store_true", help="no progress and warnings on standard error")


def run(given: argparse.Namespace) -> int:
    out = sys.stdout
    with warnings.catch_warnings(), contextlib.redirect_stdout(sys.stderr if given.json else out):  # functions may print
        warnings.simplefilter("always", StudyWarning)
        warnings.simplefilter("ignore", FailedBlocks)  # each is listed
        warnings.showwarning = lambda message, *_, **__: None if given.quiet else print(f"zwang: {message}", file=sys.stderr)
        return _run(given, out)


def _run(given: argparse.Namespace, out: Any) -> int:
    def _first() -> bool:
        try:
            return speaks(given.engine)
        except ImportError:  # then nothing serves
            return True

    def stop(code: int, status: str, message: str) -> int:
        if not _first():
            return code
        if given.json:
            print(json.dumps({"status": status, "message": message}), file=out)
        else:
            print(f"zwang: {message}", file=sys.stderr)
        return code
    if given.out is None and not given.dry_run:
        return stop(USAGE, "usage", "study: --out is missing: the folder of the results")
    if given.threads is not None and given.threads < 1:
        return stop(USAGE, "usage", f"--threads: got {given.threads}, expected a whole number from 1")
    try:
        study = _read(given.file)
    except OSError as error:
        return stop(IO, "io", f"{given.file}: {error.strerror or error}")
    except zw.ModelError as error:
        return stop(IO if error.code == "E_FILE" else REFUSED, "io" if error.code == "E_FILE" else "refused", str(error))
    except ValueError as error:
        return stop(REFUSED, "refused", str(error))
    if given.dry_run:
        if _first():
            print(json.dumps({"status": "ok", **_facts(study)}) if given.json else _text(study), file=out)
        return OK
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)  # blocks that are there are kept, and the manifest says so
    try:
        results = study.run(given.out, given.engine, threads=given.threads, fail_fast=given.fail_fast, check=given.check,
                            progress=not (given.quiet or given.json) and sys.stderr.isatty())
    except ValueError as error:
        return stop(USAGE, "usage", str(error))
    except (StudyError, ImportError, OSError) as error:
        return stop(FAILED if isinstance(error, BlockFailed) else IO, "stopped", str(error))
    except KeyboardInterrupt:
        return stop(INTERRUPTED, "interrupted", f"interrupted; the blocks in {given.out} are kept, and the same command goes on")
    finally:
        signal.signal(signal.SIGTERM, before)
    return _say(results, given.json, out) if _first() else OK


def _read(place: str) -> Study:
    if place != "-":
        return read_study(place)
    try:
        document = read_json(sys.stdin.read())
    except ValueError as error:
        raise ValueError(f"standard input: this is no JSON that can be read: {error}") from error
    return from_document(document, None, "standard input")


def _facts(study: Study) -> dict[str, Any]:
    stored = [c for c in study.columns if c.name in study.stored]
    return {"study": study.hash, "name": study.name, "states": study.states, "shape": list(study.over.shape), "block": study.block,
            "blocks": study.blocks, "columns": [c.document() for c in stored], "reductions": study.reductions.document(),
            "bytes": study.states * sum(c.bytes for c in stored)}


def _text(study: Study) -> str:
    facts = _facts(study)
    lines = [f"{study.name}: {study.states} states in {study.blocks} blocks of {study.block}; {facts['bytes'] / 1e6:.4g} MB of results"]
    lines += [f"  {c['name']}  {tuple(c['shape']) if c['shape'] else 'one number'}  {c['type']}  {c['units']}".rstrip() for c in facts["columns"]]
    lines += [f"  {name}: {', '.join(x if isinstance(x, str) else 'histogram' for x in each)}" for name, each in facts["reductions"].items()]
    return "\n".join(lines)


def _say(results: StudyResults, as_json: bool, out: Any) -> int:
    failures, reduced, statuses = results.failures, results.reduced, results.statuses
    all_ok = all(word == "ok" for counts in statuses.values() for word in counts)
    code = OK if results.complete and all_ok else FAILED
    if as_json:
        shown = [{k: x for k, x in f.items() if k != "details"} for f in failures]
        status = "failed" if not results.complete else "ok" if all_ok else "not_ok"
        print(json.dumps({"status": status, "folder": str(results.folder), "states": results.states,
                          "blocks": results.blocks, "done": len(results.done), "result": results.hash() if results.complete else None,
                          "statuses": statuses, "failures": shown, "reduced": _finite(reduced)}), file=out)
        return code
    print(f"{results.name}: {len(results.done)} of {results.blocks} blocks, {results.states} states, in {results.folder}")
    for column, each in reduced.items():
        for word, value in each.items():
            shown = value["counts"] if isinstance(value, dict) else value
            print(f"  {column} {word}: {np.array2string(np.asarray(shown), precision=6, threshold=20)}")
    for f in failures[:10]:
        at = f"state {f['state']}" if f["state"] is not None else f"states {f['first']} to {f['first'] + f['count'] - 1}"
        print(f"zwang: block {f['block']}, {at}: {f['reason']}", file=sys.stderr)
    if len(failures) > 10:
        print(f"zwang: and {len(failures) - 10} more blocks failed: {results.folder}/failures", file=sys.stderr)
    for column, counts in statuses.items():
        name = "" if len(statuses) == 1 else column.removesuffix(".status") + ": "
        print(f"{name}{sum(counts.values())} states: {', '.join(f'{n} {word}' for word, n in counts.items())}", file=out)
    return code


def _finite(given: Any) -> Any:
    if isinstance(given, dict):
        return {k: _finite(x) for k, x in given.items()}
    if isinstance(given, np.ndarray):
        return _finite(given.tolist())
    if isinstance(given, list):
        return [_finite(x) for x in given]
    return None if isinstance(given, float) and not np.isfinite(given) else given
