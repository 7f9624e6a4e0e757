# SPDX-License-Identifier: BSD-3-Clause
"""Constrained inverse dynamics and mobility through Python: their laws, states, refusals."""
import numpy as np
import pytest
import zwang as zw
from conftest import close


def quadruped():
    m = zw.sample("quadruped", root="floating")
    cs = zw.ConstraintSet(m)
    for foot in ("LF_foot", "RF_foot", "LH_foot", "RH_foot"):
        cs.add_contact(foot, foot)
    return m, cs


def test_torques_in_forward_dynamics_give_the_motion():
    m, cs = quadruped()
    rng = np.random.default_rng(3)
    q = np.array([m.random(k) for k in range(3)])
    v, a = rng.normal(size=(2, 3, m.nv))
    external = {"trunk": [1.0, -2.0, 3.0, 0.1, 0.2, -0.3]}
    r = zw.constrained_inverse_dynamics(m, cs, q, v, a, external=external, in_="local", gravity=(1, 2, -9))
    assert r.tau.shape == (3, m.nv) and r.multipliers.shape == (3, 12) and len(r.reports) == 3
    assert r.status.dtype == np.uint8
    solver = zw.Solver(m, cs)
    for k in range(3):
        s = solver.solve(q[k], v[k], r.tau[k], external=external, in_="local", gravity=(1, 2, -9))
        size = 1 + np.abs(r.acceleration[k]).max() + np.abs(r.tau[k]).max()
        close(s.acceleration / size, r.acceleration[k] / size, scale=1e6)
        close(s.reaction / size, r.reaction[k] / size, scale=1e6)
        one = zw.constrained_inverse_dynamics(m, cs, q[k], v[k], a[k], external=external, in_="local", gravity=(1, 2, -9))
        assert np.array_equal(one.tau, r.tau[k]) and one.status == one.report.status == r.reports[k].status
        assert np.array_equal(one["LH_foot"], r["LH_foot"][k])
    assert (r.tau[:, :6] == 0).all()


def test_what_is_demanded_wished_and_least():
    m, cs = quadruped()
    q, zero = m.neutral(), m.zero()
    least = zw.constrained_inverse_dynamics(m, cs, q, zero, zero)
    assert least.status == "ok" and least.report.fully_actuated and least.report.choices == 6
    wished = zw.constrained_inverse_dynamics(m, cs, q, zero, zero, wish=2 * least.tau)
    assert np.linalg.norm(wished.tau - 2 * least.tau) <= np.linalg.norm(least.tau) + 1e-9
    force = zw.constrained_inverse_dynamics(m, cs, q, zero, zero, objective="force")
    assert np.linalg.norm(force.multipliers) < np.linalg.norm(least.multipliers) + 1e-9
    assert np.linalg.norm(force.tau) > np.linalg.norm(least.tau) - 1e-9
    near = zw.constrained_inverse_dynamics(m, cs, q, zero, zero, objective="force", force_wish={"LF_foot": [0, 0, 200.0]})
    assert near["LF_foot"][2] > force["LF_foot"][2]
    one = zw.constrained_inverse_dynamics(m, cs, q, zero, {m.joint_names[1]: 1.0})
    close(one.acceleration[m.joint(m.joint_names[1]).v], [1.0], scale=1e4)
    assert one.status == "ok"
    soft = zw.constrained_inverse_dynamics(m, cs, q, zero, zero, penalty=1e8, weight="actuated")
    assert soft.status == "ok" and np.abs(soft.acceleration).max() < 1e-5
    cs["LF_foot"].active = False
    assert (zw.constrained_inverse_dynamics(m, cs, q, zero, zero)["LF_foot"] == 0).all()


def test_vectors_by_names_take_single_coordinates():
    m, cs = quadruped()
    q, zero = m.neutral(), m.zero()
    for leg in ("LF", "RF", "LH", "RH"):  # straight legs cannot lift the trunk
        q[m.joint(f"{leg}_hip_pitch").q], q[m.joint(f"{leg}_knee").q] = 0.6, -1.2
    for name, x in (("root_joint[2]", 0.5), ("root_joint[5]", -0.25), ("LF_knee", 0.75)):
        at = m.coordinate_names.index(name)
        one = zw.constrained_inverse_dynamics(m, cs, q, zero, {name: x})
        wish, weight = np.zeros(m.nv), np.zeros(m.nv)
        wish[at], weight[at] = x, 1.0
        same = zw.constrained_inverse_dynamics(m, cs, q, zero, wish, weight=weight)
        assert one.status == "ok" and abs(one.acceleration[at] - x) < 1e-9
        assert np.array_equal(one.tau, same.tau)
        assert np.array_equal(zw.inverse_dynamics(m, q, zero, {name: x}), zw.inverse_dynamics(m, q, zero, wish))
    assert np.array_equal(zw.frame_pose(m, {"root_joint[2]": 0.3}, "trunk")[:3, 3], [0, 0, 0.3])
    for bad, words in (({"root_joint[6]": 1.0}, "has 6 numbers"), ({"root_joint[x]": 1.0}, "no joint named"),
                       ({"root_joint": [0.0] * 6, "root_joint[1]": 1.0}, "twice"), ({"root[1]": 1.0}, "no joint named")):
        with pytest.raises(ValueError, match=words):
            zw.inverse_dynamics(m, q, zero, bad)


def test_the_relaxed_form_carries_the_bias_of_motors():
    """tau = S h + p W (a* - a) by the library's own M and h, and whether the robot is fully actuated."""
    m, cs = quadruped()
    rng = np.random.default_rng(5)
    motors = np.array(m.actuated)
    feet = ("LF_foot", "RF_foot", "LH_foot", "RH_foot")
    for standing in range(5):
        for k, name in enumerate(feet):
            cs[name].active = k < standing
        q = zw.integrate(m, m.neutral(), rng.uniform(-0.3, 0.3, m.nv))
        v, wish = rng.normal(size=(2, m.nv))
        r = zw.constrained_inverse_dynamics(m, cs, q, v, wish, weight="actuated", penalty=100)
        W = 100 * np.diag(1.0 * motors) @ zw.mass_matrix(m, q) @ np.diag(1.0 * motors)
        tau = motors * zw.bias_forces(m, q, v) + W @ (wish - r.acceleration)
        assert r.status == "ok"
        close(r.tau, tau, scale=1e3 * (1 + np.abs(tau).max()))
        J = np.concatenate([zw.jacobian(m, q, name)[:3] for name in feet[:standing]] + [np.zeros((1, m.nv))])
        assert r.report.conditions == 6 - np.linalg.matrix_rank(J[:, ~motors])
        assert r.report.fully_actuated == (r.report.conditions == 0)


def test_forces_stay_in_their_cones():
    m, cs = quadruped()
    q, zero, feet = m.neutral(), m.zero(), ("LF_foot", "RF_foot", "LH_foot", "RH_foot")
    push = {"trunk": [60.0, 0, 0, 0, 0, 0]}
    free = zw.constrained_inverse_dynamics(m, cs, q, zero, zero, external=push)
    assert max(np.hypot(*free[f][:2]) / free[f][2] for f in feet) > 0.3
    r = zw.constrained_inverse_dynamics(m, cs, q, zero, zero, external=push, friction=dict.fromkeys(feet, 0.2))
    assert r.status == "ok" and not r.report.outside and r.report.cone < 1e-9
    assert all(np.hypot(*r[f][:2]) <= 0.2 * r[f][2] + 1e-7 for f in feet)
    assert np.linalg.norm(r.tau) >= np.linalg.norm(free.tau)
    s = zw.Solver(m, cs).solve(q, zero, r.tau, external=push)
    assert np.abs(s.acceleration).max() < 1e-9
    slips = zw.constrained_inverse_dynamics(m, cs, q, zero, zero, external=push, friction=dict.fromkeys(feet, 0.05))
    assert slips.status == "infeasible" and slips.report.outside and "cones" in slips.report.explain()


def test_what_cannot_be_met_is_named():
    m, _ = quadruped()
    r = zw.constrained_inverse_dynamics(m, zw.ConstraintSet(m), m.neutral(), None, m.zero())
    assert r.status == "infeasible" and r.report.conditions == 6 and not r.report.fully_actuated
    assert ("motion", "root_joint[2]") in [(kind, name) for terms in r.report.conflicts for kind, name, _ in terms]
    assert "root_joint[2]" in r.report.explain() and r.report.missed


def test_refusals_name_the_argument():
    m, cs = quadruped()
    q = m.neutral()
    for what, kwargs in (("friction", {"friction": {"LF_foot": 0.0}}), ("friction", {"friction": 0.6}), ("friction", {"friction": {"LF_foot": "x"}}),
                         ("LF_foot", {"friction": {"LF_fot": 0.6}}), ("objective", {"objective": "power"}),
                         ("objective", {"objective": {"torqe": 1}}), ("weight", {"a": m.zero(), "weight": "motors"}),
                         ("weight", {"weight": np.ones(m.nv)}), ("wish", {"wish": np.ones(3)}),
                         ("LF_foot", {"force_wish": {"LF_foo": [1, 2, 3]}}), ("expected 3", {"force_wish": {"LF_foot": [1]}}),
                         ("actuated", {"actuated": []}), ("actuated", {"actuated": 3}), ("LF_knee", {"actuated": "LF_kne"})):
        with pytest.raises(ValueError, match=what):
            zw.constrained_inverse_dynamics(m, cs, q, **kwargs)


def test_whether_motors_and_rows_carry_every_motion():
    m, cs = quadruped()
    q = m.random(4)
    assert zw.is_fully_actuated(m, cs, q) is True and zw.is_fully_actuated(m, zw.ConstraintSet(m), q) is False
    for foot in ("LF_foot", "RF_foot"):
        cs[foot].active = False
    assert not zw.is_fully_actuated(m, cs, q)
    cs["LF_foot"].active = True
    cs["LF_foot"].sense = "at_least"
    assert zw.is_fully_actuated(m, cs, q)
    found = zw.is_fully_actuated(m, cs, np.stack([q, m.neutral()]), actuated=m.joint_names[1:3])
    assert found.dtype == bool and not found.any()
    B = np.eye(m.nv)
    assert zw.is_fully_actuated(m, zw.ConstraintSet(m), q, actuated=B) and not zw.is_fully_actuated(m, zw.ConstraintSet(m), q, actuated=B[:, 1:])
    J = cs.evaluate(q, m.zero()).jacobian
    for motors in ([6, 7, 8, 9], list(range(6, 18))):
        S = B[:, motors]
        want = np.linalg.matrix_rank(np.hstack([S, J.T]), tol=1e-9) == m.nv
        assert zw.is_fully_actuated(m, cs, q, actuated=S) == want
    for bad, match in (({"actuated": ["LF_hip_pich"]}, "did you mean"), ({"actuated": np.zeros((3, 2))}, "is_fully_actuated: argument 'actuated'"),
                       ({"actuated": {"a": 3}}, "is_fully_actuated: argument 'actuated' holds")):
        with pytest.raises(ValueError, match=match):
            zw.is_fully_actuated(m, cs, q, **bad)
    with pytest.raises(ValueError, match="is_fully_actuated: argument 'q'"):
        zw.is_fully_actuated(m, cs, q[:3])


def test_motors_are_asked_for():
    m = zw.load("models/five_bar.urdf", loops="constraints", actuated=["left_elbow"])
    assert list(m.actuated) == [name == "left_elbow" for name in m.names]
    assert list(zw.with_actuated(m, "right_shoulder").actuated) == [name == "right_shoulder" for name in m.names]
    with pytest.raises(ValueError, match="left_elbow"):
        zw.load("models/five_bar.urdf", loops="constraints", actuated=["left_elbo"])
    with pytest.raises(ValueError, match="left_elbow"):
        zw.check("models/five_bar.urdf", loops="constraints", actuated=["left_elbo"])
    assert zw.check("models/five_bar.urdf", actuated=["left_elbow"])[0].code == "E_TWO_PARENTS"


def test_mobility_at_a_configuration_and_along_a_path():
    m = zw.load("models/five_bar.urdf", loops="constraints")
    cs = zw.ConstraintSet(m)
    cs.add_loops()
    q = m.neutral()
    r = zw.mobility(m, cs, q)
    assert (r.mobility, r.finite_mobility, r.rank, r.rows, r.count) == (2, 2, 2, 5, -1)
    assert r.loops == {"right_wrist": 3} and len(r.dependencies) == len(r.redundant) == 3 and not r.singular
    J = cs.evaluate(q).jacobian
    assert np.abs(J @ r.free).max() < 1e-13 and np.allclose(r.free.T @ r.free, np.eye(2), atol=1e-14)
    for terms in r.dependencies:
        names = cs.evaluate(q).names
        assert np.abs(sum(c * J[names.index(row)] for row, c in terms)).max() < 1e-12
    assert zw.mobility(m, cs, q, samples=0).finite_mobility is None
    j = r.jacobian("tool")
    v = r.free @ [0.3, -0.7]
    rates = v[[m.joint(name).v.start for name in j.names]]
    assert np.allclose(j.jacobian @ rates, zw.jacobian(m, q, "tool") @ v, atol=1e-12)
    assert not j.type1 and not j.type2 and (j.passive, j.lost, j.uncontrolled) == (0, 0, 0)
    p = zw.mobility(m, cs, np.array([q, q]))
    assert p.mobility.tolist() == [2, 2] and not p.singular.any() and p.most_rank == 2
    for what, kwargs in (("samples", {"samples": -1}), ("step", {"step": 0.0}), ("tolerance", {"tolerance": -1.0})):
        with pytest.raises(ValueError, match=what):
            zw.mobility(m, cs, q, **kwargs)
    with pytest.raises(ValueError, match="tool"):
        r.jacobian("tol")


def test_motors_behind_transmissions_and_their_limits():
    m, cs = quadruped()
    q, zero = m.neutral(), m.zero()
    q[7:] = np.tile([0.1, 0.5, -0.9], 4)
    knees = {name: {name: 1.0} for name in m.coordinate_names[6:]}
    knees["LF_hip_pitch"] = {"LF_hip_pitch": 1.0, "LF_knee": 0.5}  # a tendon over two joints
    r = zw.constrained_inverse_dynamics(m, cs, q, zero, zero, actuated=knees)
    assert r.status == "ok" and r.motor_names == list(knees) and r.motors.shape == (12,)
    B = np.zeros((m.nv, 12))
    B[6:] = np.eye(12)
    B[m.coordinate_names.index("LF_knee"), r.motor_names.index("LF_hip_pitch")] = 0.5
    close(r.tau, B @ r.motors, scale=1e3)
    same = zw.constrained_inverse_dynamics(m, cs, q, zero, zero, actuated=B)
    assert np.array_equal(same.tau, r.tau) and same.motor_names[0] == "motor[0]"
    s = zw.Solver(m, cs).solve(q, zero, r.tau)
    assert np.abs(s.acceleration).max() < 1e-9
    most = float(np.abs(r.motors).max())
    strongest = r.motor_names[int(np.abs(r.motors).argmax())]
    bound = zw.constrained_inverse_dynamics(m, cs, q, zero, zero, actuated=knees, motor_limits={strongest: 0.9 * most})
    assert bound.status == "ok" and abs(bound.motors[bound.motor_names.index(strongest)]) <= 0.9 * most * (1 + 1e-9)
    none = zw.constrained_inverse_dynamics(m, cs, q, zero, zero, motor_limits=dict.fromkeys(m.coordinate_names[6:], 0.001))
    assert none.status == "infeasible" and none.report.beyond and none.report.conflicts and none.report.bound > 0
    for bad in ({"LF_kne": 1.0}, {"LF_knee": "x"}, [1.0], {"LF_knee": (1.0, -1.0)}):
        with pytest.raises((ValueError, KeyError)):
            zw.constrained_inverse_dynamics(m, cs, q, zero, zero, motor_limits=bad)
    for bad in ({"a": 1.0}, {"a": {"LF_kne": 1.0}}, np.zeros((3, 2)), {"a": {"LF_knee": "x"}}):
        with pytest.raises((ValueError, KeyError)):
            zw.constrained_inverse_dynamics(m, cs, q, zero, zero, actuated=bad)


def test_contacts_that_only_push_in_inverse_dynamics():
    m, cs = quadruped()
    for foot in ("LF_foot", "RF_foot", "LH_foot", "RH_foot"):
        cs[foot].sense = ["equal", "equal", "at_least"]
    q, zero = m.neutral(), m.zero()
    r = zw.constrained_inverse_dynamics(m, cs, q, zero, zero)
    assert r.status == "ok" and len(r.report.held) == 4 and not r.report.released
    assert all(r[foot][2] >= -1e-9 for foot in ("LF_foot", "RF_foot", "LH_foot", "RH_foot"))
    lifted = zw.constrained_inverse_dynamics(m, cs, q, zero, zero, external={"trunk": [0, 0, 400, 0, 0, 0]})
    assert lifted.status == "infeasible" and lifted.report.beyond
