# SPDX-License-Identifier: BSD-3-Clause
"""python -m zwang verify robot.urdf, python -m zwang study study.json: what the program zwang runs of these names."""
from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
from typing import NoReturn

from . import _zwang as zw
from ._verify import Verification, verify, verify_standard_input
from .study import command as study

OK, USAGE, REFUSED, DISAGREE, IO = 0, 1, 2, 4, 5


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"zwang: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m zwang", description="Commands of zwang that are written in Python.")
    parser.add_argument("--version", action="version", version=f"zwang {zw.__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    study.add_parser(commands)
    command = commands.add_parser(
        "verify", help="whether a robot means the same in other libraries",
        description="Compares joints, limits, masses and dynamics of a robot's file with other libraries, at random states.",
        epilog="Exit codes: 0 agrees, 1 usage, 2 the robot is refused (by zwang or another library), 4 a difference above its tolerance, "
               "5 a file cannot be read, or a library that was asked for is not installed.")
    command.add_argument("robot", help="a URDF, or an MJCF for MuJoCo; - is the standard input")
    command.add_argument("--against", help="pinocchio, mujoco, kdl, separated by commas; default: those that are installed")
    command.add_argument("--samples", type=int, default=8, help="random states, default 8")
    command.add_argument("--seed", type=int, default=1, help="of the states, default 1")
    command.add_argument("--root", default="auto", help="auto, fixed, floating, planar")
    command.add_argument("--mode", default="standard", choices=["standard", "strict", "lenient"], help="what zwang refuses")
    command.add_argument("--gravity", help="X,Y,Z in the world [m/s^2], default 0,0,-9.81")
    command.add_argument("--expand-mimic", action="store_true", help="compare with all mimicking joints free")
    command.add_argument("--json", action="store_true", help="one JSON document on standard output, nothing else")
    command.add_argument("--quiet", action="store_true", help="no notes and warnings on standard error")
    return parser


def exit_code(found: Verification) -> int:
    if found.differs:
        return DISAGREE
    if found.agrees:
        return OK
    return REFUSED if any(report.installed for report in found.reports.values()) else IO


def _of(found: list[zw.Diagnostic]) -> list[dict[str, object]]:
    keys = ("severity", "code", "file", "line", "column", "path", "found", "expected", "hint")
    return [{key: getattr(diagnostic, key) for key in keys} for diagnostic in found]


def _warnings(found: list[zw.Diagnostic]) -> list[str]:
    """Those of one code in one line."""
    by_code: dict[str, list[zw.Diagnostic]] = {}
    for diagnostic in found:
        if diagnostic.severity != "note":
            by_code.setdefault(diagnostic.code, []).append(diagnostic)
    return [str(x[0]) if len(x) == 1 else f"{x[0]} (and {len(x) - 1} more of {code}: zwang check lists all)" for code, x in by_code.items()]


def _stop(code: int, status: str, message: str, as_json: bool, found: list[zw.Diagnostic] | None = None) -> int:
    if as_json:
        print(json.dumps({"status": status, "message": message, "diagnostics": _of(found or [])}))
    else:
        print(f"zwang: {message}", file=sys.stderr)
    return code


def main(words: list[str] | None = None) -> int:
    given = _parser().parse_args(words)
    if given.command == "study":
        return study.run(given)
    try:
        gravity = None if given.gravity is None else [float(x) for x in given.gravity.split(",")]
    except ValueError:
        return _stop(USAGE, "usage", f"--gravity: got '{given.gravity}', expected three numbers: x,y,z", given.json)
    options = {"against": given.against, "samples": given.samples, "seed": given.seed, "root": given.root, "gravity": gravity,
               "expand_mimic": given.expand_mimic, "mode": given.mode}
    try:
        found = verify_standard_input(sys.stdin.read(), **options) if given.robot == "-" else verify(pathlib.Path(given.robot), **options)
    except zw.ModelError as error:
        unreadable = error.code == "E_FILE"
        message = str(error)
        if error.code == "E_TWO_PARENTS":
            message += "\nverify compares trees: the other libraries read no closed loops from a URDF"
        return _stop(IO if unreadable else REFUSED, "io" if unreadable else "refused", message, given.json, error.diagnostics)
    except OSError as error:
        return _stop(IO, "io", str(error), given.json)
    except ValueError as error:
        return _stop(USAGE, "usage", str(error), given.json)
    code = exit_code(found)
    if given.json:
        status = {OK: "agrees", DISAGREE: "differs", REFUSED: "refused", IO: "io"}[code]
        print(json.dumps({"status": status, **found.to_dict(), "diagnostics": _of(found.model.diagnostics)}))
        return code
    if not given.quiet:
        for line in _warnings(found.model.diagnostics):
            print(line, file=sys.stderr)
    print(found)
    return code


def run(words: list[str] | None = None) -> int:
    """main(), where the output may end before it is written."""
    try:
        code = main(words)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is flushed at the end goes nowhere
        return IO


if __name__ == "__main__":
    sys.exit(run())
