# SPDX-License-Identifier: BSD-3-Clause
"""assemble, assemble_velocity, project, assemble_path and add_joint from Python: what C++ tests, through the door of Python."""
import pathlib

import numpy as np
import pytest
import zwang as zw

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"


@pytest.fixture
def four_bar() -> tuple[zw.Model, zw.ConstraintSet]:
    robot = zw.load(MODELS / "four_bar.urdf")
    constraints = zw.ConstraintSet(robot)
    constraints.add_loop("pin", ("rod_end", "crank_pin"), {"joint": "hinge", "axis": "z"})
    return robot, constraints


def test_a_loop_is_closed_at_the_nearest_point(four_bar):
    robot, constraints = four_bar
    q0 = robot.neutral() + [0.4, -0.1, 0.2]
    r = zw.assemble(robot, constraints, q0)
    assert r.status == "ok" and r.report.nearest and r.v is None
    assert (r.residual, r.rank, r.iterations) == (r.report.residual, r.report.rank, r.report.iterations)
    assert len(r.report.redundant) == 3 and not r.report.unmet
    gap = zw.frame_pose(robot, r.q, "rod_end")[:3, 3] - zw.frame_pose(robot, r.q, "crank_pin")[:3, 3]
    assert np.abs(gap).max() < 1e-12
    J = constraints.evaluate(r.q, robot.zero()).jacobian
    d = r.q - q0  # no tangent of the rows leads nearer
    assert np.abs(d - J.T @ np.linalg.pinv(J.T, rcond=1e-9) @ d).max() < 1e-8
    assert (zw.assemble(robot, constraints, r.q).q == r.q).all()
    assert zw.assemble(robot, constraints, q0, fixed="crank_joint").q[0] == q0[0]
    assert zw.assemble(robot, constraints, q0, weights=[1e6, 1, 1]).q[0] == pytest.approx(q0[0], abs=1e-5)


def test_projection_loses_the_energy_of_what_it_takes_away(four_bar):
    robot, constraints = four_bar
    assembler = zw.Assembler(robot, constraints, weights="mass")
    v0 = np.array([1.0, 0.3, -0.4])
    x = assembler.project(robot.neutral() + 1e-3, v0)
    M = zw.mass_matrix(robot, x.q)
    assert x.status == "ok" and x.residual <= 1e-12
    assert v0 @ M @ v0 == pytest.approx(x.v @ M @ x.v + (x.v - v0) @ M @ (x.v - v0))
    assert np.abs(constraints.evaluate(x.q, x.v).velocity_error).max() < 1e-12
    assert np.allclose(assembler.assemble_velocity(x.q, v0).v, x.v, atol=1e-12)


def test_many_states_on_threads_are_those_of_each(four_bar):
    robot, constraints = four_bar
    rng = np.random.default_rng(3)
    q0 = robot.neutral() + rng.uniform(-0.3, 0.3, (17, robot.nq))
    v0 = rng.uniform(-1, 1, (17, robot.nv))
    assembler = zw.Assembler(robot, constraints)
    x = assembler.project(q0, v0)
    assert x.q.shape == (17, robot.nq) and x.v.shape == (17, robot.nv) and x.report is None
    assert (x.status == 0).all() and x.residual.max() <= 1e-12
    for k in range(17):
        one = assembler.project(q0[k], v0[k])
        assert (x.q[k] == one.q).all() and (x.v[k] == one.v).all() and x.iterations[k] == one.iterations
    assert (zw.assemble(robot, constraints, q0).q == x.q).all()
    assert zw.assemble_velocity(robot, constraints, x.q, v0[0]).v.shape == (17, robot.nv)
    with pytest.raises(ValueError, match="states"):
        assembler.project(q0, v0[:3])


def test_what_cannot_meet_is_named(four_bar):
    robot, constraints = four_bar
    constraints.add_distance("rod", ("ground", "rod"), 5.0)
    r = zw.assemble(robot, constraints, robot.neutral())
    assert r.status == "infeasible" and r.report.gradient <= 1e-6
    assert any(name.startswith("rod:") for name in r.report.unmet) and "rod:" in r.report.explain()


def test_targets_are_followed_and_the_set_is_not_changed(four_bar):
    robot, constraints = four_bar
    constraints.add_joint("drive", coordinates=["crank_joint"], target=[0.0])
    path = zw.assemble_path(robot, constraints, robot.neutral(), "drive", np.linspace(0, 1, 11)[:, None])
    assert path.reached == 11 and (path.status == 0).all() and (path.alignment > 0).all()
    assert np.allclose(path.q[:, 0], np.linspace(0, 1, 11), atol=1e-12) and constraints["drive"].target[0] == 0
    assert constraints["drive"].definition["coordinates"] == ["crank_joint"]
    assert zw.ConstraintSet.from_json(robot, constraints.to_json())["drive"].coordinates == ["crank_joint"]


def test_joint_rows_hold_a_posture():
    robot = zw.load(MODELS / "quadruped.urdf", root="floating")
    posture = robot.random(seed=3)
    constraints = zw.ConstraintSet(robot)
    constraints.add_joint("posture", posture=posture, time_constant=0.1)
    assert len(constraints["posture"].row_names) == robot.nv
    q0 = zw.integrate(robot, posture, np.full(robot.nv, 0.2))
    r = zw.assemble(robot, constraints, q0)
    assert r.status == "ok" and np.abs(zw.difference(robot, posture, r.q)).max() < 1e-11
    s = zw.Solver(robot, constraints).solve(posture, robot.zero(), robot.zero())
    assert s.report.status == "ok" and np.abs(s.acceleration).max() < 1e-8


def test_bad_arguments_are_refused(four_bar):
    robot, constraints = four_bar
    q = robot.neutral()
    with pytest.raises(ValueError, match="crank_joint"):
        zw.assemble(robot, constraints, q, fixed=["crank_join"])
    with pytest.raises(ValueError, match="'mass'"):
        zw.assemble(robot, constraints, q, weights="lead")
    with pytest.raises(ValueError, match="weights"):
        zw.assemble(robot, constraints, q, weights=[1.0, 2.0])
    with pytest.raises(ValueError, match="max_iterations"):
        zw.assemble(robot, constraints, q, max_iterations=0)
    with pytest.raises(ValueError, match="q0"):
        zw.assemble(robot, constraints, [np.nan, 0, 0])
    with pytest.raises(ValueError, match="named twice"):
        constraints.add_joint("a", coordinates=["crank_joint", "crank_joint"])
