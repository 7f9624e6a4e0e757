# SPDX-License-Identifier: BSD-3-Clause
"""Programs of first users, where they are there: beside the checkout in shared/field/users (or ZWANG_FIELD_USERS). What each has to give.

Some need a model of ours, `models/...`, or a robot of shared/robots, and are run in a folder that has both.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT, SHARED

USERS = pathlib.Path(os.environ.get("ZWANG_FIELD_USERS", SHARED.parent / "field" / "users"))
PROGRAM = ROOT / "build" / "bin" / "zwang"
BALL = 'import numpy as np, zwang as zw\nm = zw.load("ball.urdf", root="floating")\n# 1 naive\n'  # what two of them read


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    if not USERS.is_dir():
        pytest.skip(f"{USERS} is not there")
    folder = tmp_path_factory.mktemp("users") / "here"
    shutil.copytree(USERS, folder)
    (folder / "models").symlink_to(ROOT / "models")
    (folder.parent / "shared").symlink_to(SHARED.parent)
    (folder / "ball.py").write_text(BALL)
    return folder


def run(place, name):
    done = subprocess.run([sys.executable, name], cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def program(place, *words):
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built")
    return subprocess.run([PROGRAM, *words], cwd=place, capture_output=True, text=True)


def test_ball_is_refused_with_the_word_that_helps(place):
    done = program(place, "simulate", "ball.json")  # `on` with a restitution held the rebound: 10.8 J became 95.8 J
    assert done.returncode == 1 and "name it in bounce instead of on" in done.stderr
    problem = json.loads((place / "ball.json").read_text())
    problem["events"][0]["bounce"] = problem["events"][0].pop("on")
    (place / "bounces.json").write_text(json.dumps(problem))
    done = program(place, "simulate", "bounces.json", "--json")
    energy = json.loads(done.stdout)["energy"]
    assert done.returncode == 0 and 0 <= energy["last"] < energy["first"]


def test_hover_is_refused_with_the_word_that_helps(place):
    done = program(place, "simulate", "hover.json")
    assert done.returncode == 1 and "hold its body in the air" in done.stderr and "time_constant" in done.stderr


def test_studies_say_how_their_states_end(place):
    for name, count in ("ik", "20 states: 3 ok, 17 nearest_found"), ("ro", "20 states: 7 ok, 13 overflow"):
        done = program(place, "study", f"{name}.json", "--out", f"out_{name}")
        assert done.returncode == 3 and done.stdout.strip().endswith(count), done.stdout


def test_fr_names_what_the_motion_leaves_out(place):
    done = program(place, "simulate", "fr.urdf", "--time", "1")
    assert done.returncode == 0 and done.stderr.count("left out of this motion") == 1
    for word in "limits", "friction", "effort", "speed":
        assert f"{word} of 1 joint (" in done.stderr
    held = program(place, "simulate", "fr.urdf", "--time", "1", "--joint-effects", "friction", "--json")
    assert abs(json.loads(held.stdout)["q"][0]) < 1e-15


def test_feet_stay_above_the_ground(place):
    lines = run(place, "cause.py").splitlines()
    assert len(lines) == 4 and all(re.match(r"[LR][FH] never below -1 cm", line) for line in lines)
    lines = run(place, "fall.py").splitlines()
    assert lines[0].startswith("rest: ok") and len(lines) == 4
    for line in lines[1:]:  # four feet in turn, endlessly: it ends and says so
        assert " not_converged more than 50 events in one step" in line and "lowest foot -0.000" in line


def test_limits_friction_and_the_singular_wrist(place):
    out = run(place, "lim.py")
    over = [float(x) for x in re.findall(r"over (\S+)", out)]
    assert len(over) == 2 and max(over) <= 0 and "time_path ok util 1.0" in out and "with friction 16.0" in out
    if not SHARED.is_dir():
        pytest.skip(f"{SHARED} is not there")
    ratios = [float(x) for x in re.findall(r"would have to give (\S+) times its effort limit", run(place, "near.py"))]
    assert len(ratios) >= 4 and ratios == sorted(ratios)


def test_poses_of_a_circle(place):
    out = run(place, "job.py")
    assert "(20, 7)" in out and float(re.search(r"\(20, 7\) (\S+)", out)[1]) <= 1e-7


def test_a_horizon_of_a_quadruped(place):
    if not SHARED.is_dir():
        pytest.skip(f"{SHARED} is not there")
    out = run(place, "mpc.py")
    assert "1000 states: 1000 ok" in out and "negative normal multipliers in solve: 931 of 1000" in out


@pytest.mark.parametrize("name", ["five", "fourbar"])
def test_closed_loops_stay_closed(place, name):
    out = run(place, f"{name}.py")
    lines = [line for line in out.splitlines() if " ok " in line and ("err " in line or "loop " in line)]
    gaps = [float(re.search(r"(?:err|loop) (\S+)", line)[1].rstrip(",")) for line in lines if "baum" not in line]
    assert len(gaps) >= 8 and max(gaps) < 1e-9
    if name == "fourbar":
        assert float(re.search(r"^\{\} ok .*dE max (\S+)", out, re.M)[1]) < 1e-9
