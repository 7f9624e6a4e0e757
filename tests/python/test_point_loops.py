# SPDX-License-Identifier: BSD-3-Clause
"""Loops between two points along axes of the world (add_loop(in_="local_world_aligned")), open and closed, by every method, in lanes, in documents."""
import numpy as np
import pytest
import zwang as zw

# Tolerances are multiples of eps of the largest term: sums over some ten bodies 1e-13, a solve with M, whose condition is some
# 1e3, 1e-12, derivatives of it 1e-11.
IN = "local_world_aligned"
METHODS = [m for m in zw.methods() if m not in ("pv_soft", "constrained_aba")]  # these two are for other rows


def tree(seed, root="floating", mimic=0.2):
    """A random robot, two frames on different branches, a state at which they are far apart."""
    m = zw.random_robot(seed, joints=8, mimic=mimic, root=root)
    r = np.random.default_rng(seed)
    for j in m.joints:
        if j.type == "composite":  # parts that move alike: rotors keep M regular
            m = zw.with_joint(m, j.name, armature=0.05)
    m = m.with_frame("one", m.link_names[3], r.uniform(-0.3, 0.3, 3)).with_frame("two", m.link_names[-1], r.uniform(-0.3, 0.3, 3))
    return m, m.random(seed), r.uniform(-1, 1, m.nv), r.uniform(-5, 5, m.nv)


def held(m, rows="linear", **options):
    s = zw.ConstraintSet(m)
    s.add_loop("points", ("one", "two"), rows, in_=IN, **options)
    return s


@pytest.mark.parametrize("seed", range(6))
def test_the_points_accelerate_as_asked(seed):
    m, q, v, tau = tree(seed, ("floating", "fixed", "planar")[seed % 3])
    D = np.random.default_rng(seed).uniform(-1, 1, (2, 3))
    beta, T, zeta, target = [0.3, -0.7], 0.2, 0.8, [0.1, 0.2]
    s = held(m, np.hstack([D, np.zeros((2, 3))]), beta=beta, time_constant=T, damping_ratio=zeta, target=target)
    assert s["points"].in_ == IN and s["points"].definition["in_"] == IN
    x = zw.Solver(m, s).solve(q, v, tau)
    assert x.status == "ok" and x.report.rank == 2
    apart = D @ (zw.frame_pose(m, q, "two")[:3, 3] - zw.frame_pose(m, q, "one")[:3, 3])
    slip = D @ (zw.frame_velocity(m, q, v, "two") - zw.frame_velocity(m, q, v, "one"))[:3]
    a = D @ (zw.frame_acceleration(m, q, v, x.acceleration, "two", "classical") - zw.frame_acceleration(m, q, v, x.acceleration, "one", "classical"))[:3]
    size = 1 + np.abs(x.acceleration).max() + np.abs(v).max() ** 2
    assert np.allclose(a, np.array(beta) - 2 * zeta / T * slip - (apart - target) / T**2, rtol=0, atol=1e-13 * size)
    e = s.evaluate(q, v)
    assert np.allclose(e.position_error, apart - target, rtol=0, atol=1e-13) and np.allclose(e.velocity_error, slip, rtol=0, atol=1e-13)
    # a force at each point, the opposite of the other's, and no others
    force = D.T @ x["points"].multipliers
    assert np.allclose(x["points"].wrench, [*force, 0, 0, 0], rtol=0, atol=1e-13 * (1 + np.abs(force).max()))
    by_hand = zw.forward_dynamics(m, q, v, tau, external={"two": [*force, 0, 0, 0], "one": [*-force, 0, 0, 0]})
    assert np.allclose(by_hand, x.acceleration, rtol=0, atol=1e-12 * size)


@pytest.mark.parametrize("seed", range(4))
def test_every_method_and_lanes_give_the_same_motion(seed):
    m, q, v, tau = tree(seed + 20, mimic=0)  # loop_aba has no mimics
    s = held(m)
    one = zw.Solver(m, s, method="dense_cod").solve(q, v, tau)
    size = 1 + np.abs(one.acceleration).max()
    # Two solves differ by eps times the condition of G M^-1 G^T, which is up to some 1e6 here.
    for method in METHODS:
        x = zw.Solver(m, s, method=method).solve(q, v, tau)
        assert x.status == "ok" and np.allclose(x.acceleration, one.acceleration, rtol=0, atol=1e-9 * size), method
        assert np.allclose(x.multipliers, one.multipliers, rtol=0, atol=1e-9 * (1 + np.abs(one.multipliers).max())), method
    many = [np.stack([a, b, a]) for a, b in ((q, m.random(77)), (v, -v), (tau, tau))]
    lanes = zw.Solver(m, s).solve(*many)
    for k in range(3):
        alone = zw.Solver(m, s).solve(*(x[k] for x in many))
        assert np.allclose(lanes.acceleration[k], alone.acceleration, rtol=0, atol=1e-11 * (1 + np.abs(alone.acceleration).max()))


def increments(m, q, h=1e-6):
    for k in range(m.nv):
        d = np.zeros(m.nv)
        d[k] = h
        yield k, zw.integrate(m, q, d), zw.integrate(m, q, -d)


@pytest.mark.parametrize("seed", range(4))
def test_first_derivatives_are_those_of_the_solutions(seed):
    m, q, v, tau = tree(seed + 40, ("floating", "spherical", "fixed", "planar")[seed])
    s = held(m, beta=[0.1, 0.2, 0.3], time_constant=0.5)
    solver, h = zw.Solver(m, s), 1e-6
    x = solver.solve(q, v, tau)
    d = solver.derivatives()
    g = solver.vjp(acceleration=np.arange(m.nv) * 0.1, multipliers=[1.0, 2, 3])
    e = zw.Solver(m, s)
    size = 1 + np.abs(d.acceleration.q).max() + np.abs(x.acceleration).max()
    by_q, by_v = np.empty((m.nv, m.nv)), np.empty((m.nv, m.nv))
    lambda_q, slip_q = np.empty((3, m.nv)), np.empty((3, m.nv))
    for k, plus, minus in increments(m, q):
        one, other = e.solve(plus, v, tau), e.solve(minus, v, tau)
        by_q[:, k] = (one.acceleration - other.acceleration) / (2 * h)
        lambda_q[:, k] = (one.multipliers - other.multipliers) / (2 * h)
        slip_q[:, k] = (s.evaluate(plus, v).velocity_error - s.evaluate(minus, v).velocity_error) / (2 * h)
        dv = np.zeros(m.nv)
        dv[k] = h
        by_v[:, k] = (e.solve(q, v + dv, tau).acceleration - e.solve(q, v - dv, tau).acceleration) / (2 * h)
    # central differences: rounding over h, and h^2 times third derivatives
    assert np.allclose(d.acceleration.q, by_q, rtol=0, atol=1e-6 * size) and np.allclose(d.acceleration.v, by_v, rtol=0, atol=1e-6 * size)
    assert np.allclose(d.multipliers.q, lambda_q, rtol=0, atol=1e-6 * (1 + np.abs(lambda_q).max()))
    assert np.allclose(d.velocity_error.q, slip_q, rtol=0, atol=1e-7 * (1 + np.abs(slip_q).max()))
    assert np.allclose(g.q, d.acceleration.q.T @ (np.arange(m.nv) * 0.1) + d.multipliers.q.T @ [1.0, 2, 3], rtol=0, atol=1e-11 * size)
    several = solver.solve(np.stack([q, q]), np.stack([v, v]), np.stack([tau, tau]))
    assert several.acceleration.shape == (2, m.nv)
    assert np.allclose(solver.derivatives().acceleration.q[1], d.acceleration.q, rtol=0, atol=1e-12 * size)


def test_second_order_products_are_derivatives_of_the_first():
    m, q, v, tau = tree(61)
    solver, h = zw.Solver(m, held(m, time_constant=0.5)), 1e-6
    w, dq, dv = np.random.default_rng(2).normal(size=(3, m.nv))
    solver.solve(q, v, tau)
    second = solver.hvp(q=dq, v=dv, acceleration=w)
    ends = []
    for sign in (1, -1):
        solver.solve(zw.integrate(m, q, sign * h * dq), v + sign * h * dv, tau)
        ends.append(solver.vjp(acceleration=w).v)
    difference = (ends[0] - ends[1]) / (2 * h)
    # central differences: rounding over h, and h^2 times third derivatives
    assert np.allclose(second.v, difference, rtol=0, atol=1e-6 * (1 + np.abs(difference).max()))


def test_where_the_points_meet_both_axes_hold_the_same_motions_elsewhere_not():
    m, q, v, tau = tree(3)
    closed = zw.assemble(m, held(m), q)
    assert closed.status == "ok"
    v = zw.assemble_velocity(m, held(m), closed.q, v).v
    moving = zw.ConstraintSet(m)
    moving.add_loop("points", ("one", "two"), "linear")
    both = [zw.Solver(m, s).solve(closed.q, v, tau).acceleration for s in (held(m), moving)]
    assert np.allclose(*both, rtol=0, atol=1e-12 * (1 + np.abs(both[0]).max()))
    both = [zw.Solver(m, s).solve(q, v, tau).acceleration for s in (held(m), moving)]
    assert np.abs(both[0] - both[1]).max() > 1e-3 * np.abs(both[0]).max()


@pytest.mark.parametrize("seed", range(3))
def test_contacts_of_two_bodies_in_the_face_hold_these_rows(seed):
    """zwang.pinocchio has rows of its own, in LOCAL along the first frame's axes: the same motion and derivatives."""
    import zwang.pinocchio as pin
    model = pin.buildSampleModelHumanoid()
    q, v = pin.integrate(model, pin.neutral(model), np.random.default_rng(seed).uniform(-1, 1, model.nv)), np.linspace(-1, 1, model.nv)
    tau = np.linspace(2, -3, model.nv)
    j1, j2 = model.getJointId("larm_elbow_joint"), model.getJointId("rarm_wrist1_joint")
    c = pin.RigidConstraintModel(pin.CONTACT_3D, model, j1, pin.SE3(np.eye(3), [0.1, 0.2, 0.3]), j2, pin.SE3(np.eye(3), [0, 0.1, -0.2]))
    data, found = model.createData(), c.createData()
    pin.initConstraintDynamics(model, data, [c])
    ddq = pin.constraintDynamics(model, data, q, v, tau, [c], [found])
    pin.computeConstraintDynamicsDerivatives(model, data, [c], [found])
    core = model.core()
    m = core.model.with_frame("c1", core.model.frame_names[core.joint_ids[j1]], [0.1, 0.2, 0.3])
    m = m.with_frame("c2", core.model.frame_names[core.joint_ids[j2]], [0, 0.1, -0.2])
    s = zw.ConstraintSet(m)
    s.add_loop("points", ("c2", "c1"), "linear", in_=IN)
    solver = zw.Solver(m, s, joint_effects=zw.JointEffects(damping=False, springs=False))
    x = solver.solve(core.q(q), core.v(v, "v"), core.v(tau, "tau"))
    size = 1 + np.abs(ddq).max()
    assert np.allclose(core.rows(x.acceleration), ddq, rtol=0, atol=1e-12 * size)
    R = pin.SE3.view(zw.frame_pose(m, core.q(q), "c1")).rotation
    assert np.allclose(R.T @ x.multipliers, data.lambda_c, rtol=0, atol=1e-12 * (1 + np.abs(data.lambda_c).max()))
    d = solver.derivatives()
    for mine, theirs in ((d.acceleration.q, data.ddq_dq), (d.acceleration.v, data.ddq_dv), (d.acceleration.tau, data.ddq_dtau)):
        assert np.allclose(core.both(mine), theirs, rtol=0, atol=1e-11 * (1 + np.abs(theirs).max()))


def test_documents_and_refusals():
    m, q, v, tau = tree(5)
    s = held(m, beta=[1, 2, 3])
    again = zw.ConstraintSet.from_json(m, s.to_json())
    assert again["points"].in_ == IN and '"in":' in s.to_json()
    assert np.array_equal(zw.Solver(m, again).solve(q, v, tau).acceleration, zw.Solver(m, s).solve(q, v, tau).acceleration)
    for words, match in (({"in_": "world"}, "in is 'world', expected 'local'"), ({"in_": "one"}, "expected 'local'"),
                         ({"in_": IN, "rows": "all"}, "'angular.x' holds an angle")):
        with pytest.raises(ValueError, match=match):
            zw.ConstraintSet(m).add_loop("points", ("one", "two"), **words)
