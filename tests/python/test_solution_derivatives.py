# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of solutions: against central differences of fourth order, whose error is h^4 and eps / h."""
import numpy as np
import pytest

import zwang as zw

H = 1e-3
WEIGHTS = ((-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12))


def difference(f):
    """d f(e)/de at 0."""
    return sum(w * f(k * H) for k, w in WEIGHTS) / H


def close(a, b, tolerance=2e-8):
    a, b = np.asarray(a), np.asarray(b)
    assert np.abs(a - b).max(initial=0) <= tolerance * (1 + np.abs(b).max(initial=0)), (a, b)


class Problem:
    """A quadruped on two feet, one soft, with a driven trunk row, a target and a wrench."""

    def __init__(self):
        self.robot = zw.load("models/quadruped.urdf", root="floating")
        r = self.robot
        self.set = zw.ConstraintSet(r)
        feet = ["LF_foot", "RF_foot"]
        self.foot = feet[0]
        self.set.add_contact("hard", frame=feet[0], beta=[0.1, 0.2, 0.3])
        self.set.add_contact("soft", frame=feet[1], policy="soft", compliance=0.05, target_point=[0.1, 0.2, 0.3],
                             time_constant=0.2)
        self.set.add_frame("trunk", frame="trunk", rows=["angular.x"], role="driver", beta=[0.5])
        rng = np.random.default_rng(4)
        self.q = zw.integrate(r, r.neutral(), rng.uniform(-0.4, 0.4, r.nv))
        self.v, self.tau = rng.uniform(-1, 1, r.nv), rng.uniform(-5, 5, r.nv)
        self.solver = zw.Solver(r, self.set)
        self.rng = rng
        self.external = {feet[1]: [3, -2, 5, 0.3, 0.1, 0.2]}

    def solve(self, q=None, v=None, tau=None, **words):
        words.setdefault("external", self.external)
        return self.solver.solve(self.q if q is None else q, self.v if v is None else v,
                                 self.tau if tau is None else tau, **words)


@pytest.fixture
def problem():
    return Problem()


NAMES = ("acceleration", "multipliers", "motor_torque")


def test_matrices_products_and_differences(problem):
    p, r = problem, problem.robot
    assert p.solve().status == "ok"
    d = p.solver.derivatives()
    assert d.status == "ok" and d.reason == ""
    dq, dv, dtau = (p.rng.uniform(-1, 1, r.nv) for _ in range(3))
    for name in NAMES:
        of, get = getattr(d, name), lambda **x: getattr(p.solve(**x), name).copy()
        close(of.q @ dq, difference(lambda e: get(q=zw.integrate(r, p.q, e * dq))))
        close(of.v @ dv, difference(lambda e: get(v=p.v + e * dv)))
        close(of.tau @ dtau, difference(lambda e: get(tau=p.tau + e * dtau)))
    p.solve()
    rows = p.set.rows
    dbeta = p.rng.uniform(-1, 1, rows)
    t = p.solver.jvp(q=dq, v=dv, tau=dtau, beta=dbeta)
    g = {n: p.rng.uniform(-1, 1, getattr(d, n).q.shape[0]) for n in NAMES}
    for name in NAMES:
        x = getattr(d, name)
        close(getattr(t, name), x.q @ dq + x.v @ dv + x.tau @ dtau + x.beta @ dbeta, 1e-11)
    back = p.solver.vjp(**g)
    for by in ("q", "v", "tau", "beta"):
        close(getattr(back, by), sum(getattr(getattr(d, n), by).T @ g[n] for n in NAMES), 1e-11)
    for in_ in ("local", "world", "local_world_aligned"):
        close(back.external(p.foot, in_), sum(getattr(d, n).external(p.foot, in_).T @ g[n] for n in NAMES), 1e-11)


def test_wrenches_of_frames(problem):
    p = problem
    for in_ in ("local", "world", "local_world_aligned"):
        p.solve(external=None)
        d, w = p.solver.derivatives(), p.rng.uniform(-1, 1, 6)
        for name in NAMES:
            expected = difference(lambda e: getattr(p.solve(external={p.foot: e * w}, in_=in_), name).copy())
            close(getattr(d, name).external(p.foot, in_) @ w, expected)


def test_wrenches_along_the_axes_of_another_frame_turn_with_it(problem):
    p, r = problem, problem.robot
    axes, joint = "RH_foot", "LF_knee"
    solve = lambda **x: p.solve(in_=axes, external={p.foot: [30, -20, 15, 3, 2, -4]}, prescribed={joint: 1.5}, **x)
    solve()
    d = p.solver.derivatives()
    dq = p.rng.uniform(-1, 1, r.nv)
    weights = {n: p.rng.uniform(-1, 1, getattr(d, n).q.shape[0]) for n in NAMES}
    right, left = p.solver.jvp(q=dq), p.solver.vjp(**weights)
    for name in NAMES:
        expected = difference(lambda e: getattr(solve(q=zw.integrate(r, p.q, e * dq)), name).copy())
        close(getattr(d, name).q @ dq, expected)
        close(getattr(right, name), expected)
    close(left.q @ dq, sum(w @ getattr(d, n).q @ dq for n, w in weights.items()), 1e-11)
    p.solve(external=None)
    d, w = p.solver.derivatives(), p.rng.uniform(-1, 1, 6)
    expected = difference(lambda e: p.solve(external={p.foot: e * w}, in_=axes).acceleration.copy())
    close(d.acceleration.external(p.foot, axes) @ w, expected)
    p.solve()
    p.solver.resolve(p.tau, external={p.foot: [30, -20, 15, 3, 2, -4]}, in_=axes)
    resolved = p.solver.derivatives()
    p.solve(external={p.foot: [30, -20, 15, 3, 2, -4]}, in_=axes)
    close(resolved.acceleration.q, p.solver.derivatives().acceleration.q, 1e-10)


def test_products_of_plain_dynamics_know_the_axes_of_a_frame(problem):
    r, q, v, rng = problem.robot, problem.q, problem.v, problem.rng
    words = {"external": {"LF_foot": [30, -20, 15, 3, 2, -4]}, "in_": "RH_foot"}
    x, w, dq = (rng.uniform(-1, 1, r.nv) for _ in range(3))
    inverse = lambda e=0.0: zw.inverse_dynamics(r, zw.integrate(r, q, e * dq), v, x, **words)
    forward = lambda e=0.0: zw.forward_dynamics(r, zw.integrate(r, q, e * dq), v, x, **words)
    for of, jvp, vjp in ((inverse, zw.inverse_dynamics_jvp, zw.inverse_dynamics_vjp),
                         (forward, zw.forward_dynamics_jvp, zw.forward_dynamics_vjp)):
        expected = difference(of)
        close(jvp(r, q, v, x, dq, **words), expected)
        close(vjp(r, q, v, x, w, **words).q @ dq, w @ expected)
    with pytest.raises(ValueError, match="in_"):
        zw.inverse_dynamics_second_derivatives(r, q, v, x, **words)


def test_gradients_by_beta_targets_compliance_and_gravity(problem):
    p = problem
    p.solve()
    weights = {n: p.rng.uniform(-1, 1, getattr(p.solver.derivatives(), n).q.shape[0]) for n in NAMES}
    cost = lambda **x: (lambda s: sum(w @ getattr(s, n) for n, w in weights.items()))(p.solve(**x))
    p.solve()
    g = p.solver.vjp(**weights)
    assert g.status == "ok"

    def by(constraint, member, k):
        x = getattr(p.set[constraint], member)
        kept = list(x)

        def moved(e):
            value = list(kept)
            value[k] += e
            setattr(p.set[constraint], member, value)
            return cost()
        out = difference(moved)
        setattr(p.set[constraint], member, kept)
        return out
    first = {"hard": 0, "soft": 3, "trunk": 6}
    for name in first:
        close(g.beta[first[name]], by(name, "beta", 0))
    p.set["soft"].target = [0.0, 0.0, 0.0]
    p.set["soft"].target_velocity = [0.0, 0.0, 0.0]
    for k in range(3):
        close(g.target[3 + k], by("soft", "target", k))
        close(g.target_velocity[3 + k], by("soft", "target_velocity", k))
    p.set["soft"].compliance = [0.05, 0.05, 0.05]
    step = 1e-5  # the compliance is small
    def compliant(e):
        p.set["soft"].compliance = [0.05 + e * step / H, 0.05, 0.05]
        return cost()
    close(g.compliance[3], difference(compliant) * H / step, 1e-6)
    p.set["soft"].compliance = [0.05, 0.05, 0.05]
    for k in range(3):
        moved = lambda e: cost(gravity=np.array([0, 0, -9.81]) + e * np.eye(3)[k])
        close(g.gravity[k], difference(moved))


def test_targets_of_rows_without_a_position_error():
    """A ball that rolls: two rows hold velocities alone, and their targets say nothing."""
    robot = zw.load("models/arm7.urdf")
    s = zw.ConstraintSet(robot)
    s.add_rolling("ball", "tool0", 0.1, target=[0, 0, 0], time_constant=0.2)
    solver, q, v, w = zw.Solver(robot, s), robot.neutral() + 0.3, np.linspace(-1, 1, 7), np.linspace(1, 2, 7)
    assert np.isnan(solver.solve(q, v).position_error).tolist() == [True, True, False]
    g = solver.vjp(acceleration=w)
    assert g.target[2] != 0

    def cost(k, e):
        s["ball"].target = e * np.eye(3)[k]
        return w @ solver.solve(q, v).acceleration

    close(g.target, [difference(lambda e: cost(k, e)) for k in range(3)])


def test_prescribed_coordinates(problem):
    p, r = problem, problem.robot
    joint = "LF_knee"
    at = r.coordinate_names.index(joint)
    solve = lambda **x: p.solve(prescribed={joint: x.pop("value", 1.5)}, **x)
    solve()
    d = p.solver.derivatives()
    dq = p.rng.uniform(-1, 1, r.nv)
    weights = {n: p.rng.uniform(-1, 1, getattr(d, n).q.shape[0]) for n in NAMES}
    for name in NAMES:
        close(getattr(d, name).q @ dq, difference(lambda e: getattr(solve(q=zw.integrate(r, p.q, e * dq)), name).copy()))
    solve()
    g = p.solver.vjp(**weights)
    cost = lambda value: (lambda s: sum(w @ getattr(s, n) for n, w in weights.items()))(solve(value=value))
    close(g.prescribed[at], difference(lambda e: cost(1.5 + e)))
    assert g.tau[at] == 0 and not d.acceleration.q[at].any()


def test_parameters_of_joints():
    """Gradients by armature, damping and stiffness against models with other numbers."""
    q, v, tau = np.array([0.3, -0.4, 0.8]), np.array([1.0, 2.0, -1.5]), np.array([0.5, 1.0, -2.0])
    w = np.array([1.0, -2.0, 0.5])

    def solver(**changes):
        b = zw.ModelBuilder("arm").add_link("base")
        numbers = {"rotor_inertia": 0.05, "damping": 0.3, "stiffness": 4.0, "spring_reference": 0.1, **changes}
        for k in range(3):
            b.add_link(f"l{k}", mass=1.0 + k, centre=[0.1, 0.02, 0.3], inertia=np.diag([0.02, 0.03, 0.04]))
            origin = np.eye(4)
            origin[2, 3] = 0.3
            b.add_joint(f"j{k}", "revolute", "base" if k == 0 else f"l{k - 1}", f"l{k}", origin,
                        [[0, 0, 1], [0, 1, 0], [1, 0, 0]][k], **(numbers if k == 1 else {}))
        robot = b.build()
        s = zw.ConstraintSet(robot)
        s.add_frame("hold", frame="l2", rows=["linear.x"], beta=[0.3])
        return zw.Solver(robot, s, joint_effects=zw.JointEffects(springs=True))

    one = solver()
    one.solve(q, v, tau)
    g = one.vjp(acceleration=w)
    cost = lambda **x: w @ solver(**x).solve(q, v, tau).acceleration
    close(g.armature[1], difference(lambda e: cost(rotor_inertia=0.05 + e)))
    close(g.damping[1], difference(lambda e: cost(damping=0.3 + e)))
    close(g.stiffness[1], difference(lambda e: cost(stiffness=4.0 + e)))


def test_gradients_by_inertia_and_placement():
    """Against models with another payload, and with another place of the second joint."""
    q, v, tau = np.array([0.3, -0.4, 0.8]), np.array([1.0, 2.0, -1.5]), np.array([0.5, 1.0, -2.0])
    w, shift = np.array([1.0, -2.0, 0.5]), np.array([0.3, -0.5, 0.7])

    def solver(mass=3.0, moved=0.0, lump=True):
        b = zw.ModelBuilder("arm").add_link("base")
        for k in range(3):
            b.add_link(f"l{k}", mass=1.0 + k, centre=[0.1, 0.02, 0.3], inertia=np.diag([0.02, 0.03, 0.04]))
            origin = np.eye(4)
            origin[2, 3] = 0.3
            if k == 1:
                origin[:3, 3] += moved * shift
            b.add_joint(f"j{k}", "revolute", "base" if k == 0 else f"l{k - 1}", f"l{k}", origin,
                        [[0, 0, 1], [0, 1, 0], [1, 0, 0]][k])
        b.add_link("payload", mass=mass, centre=[0, 0, 0], inertia=np.diag([0.02, 0.03, 0.04]))
        b.add_joint("grip", "fixed", "l2", "payload", np.eye(4))
        robot = b.build(lump=lump)
        s = zw.ConstraintSet(robot)
        s.add_frame("hold", frame="l2", rows=["linear.x"], beta=[0.3])
        return zw.Solver(robot, s)

    one = solver()
    one.solve(q, v, tau)
    g = one.vjp(acceleration=w)
    cost = lambda **x: w @ solver(**x).solve(q, v, tau).acceleration
    names = [x.name for x in one.model.links]
    assert g.inertial_parameters.shape == one.model.inertial_parameters.shape
    close(g.inertial_parameters[10 * names.index("payload")], difference(lambda e: cost(mass=3.0 + e)))
    joints = [x.name for x in one.model.joints]
    assert g.placement.shape == (len(joints), 6)
    close(g.placement[joints.index("j1"), :3] @ shift, difference(lambda e: cost(moved=e)))
    assert np.isnan(g.placement[joints.index("grip")]).all()
    free = solver(lump=False)
    free.solve(q, v, tau)
    assert np.isfinite(free.vjp(acceleration=w).placement[-1]).all()


def test_gradients_by_placement_know_the_axes_of_a_frame():
    """A wrench along the axes of a frame turns with the placements of all joints before that frame."""
    robot = zw.load("models/quadruped.urdf", root="floating")  # its feet are merged into the shanks
    rng = np.random.default_rng(6)
    q = np.array([zw.integrate(robot, robot.neutral(), rng.uniform(-0.4, 0.4, robot.nv)) for _ in range(3)])
    v, tau, w = (rng.uniform(-1, 1, (3, robot.nv)) for _ in range(3))
    words = {"external": {"LF_foot": [30, -20, 15, 3, 2, -4]}, "in_": "RH_foot"}
    placements = lambda **x: zw.forward_dynamics_derivatives(robot, q, v, tau, wrt="placement", **x).placement
    expected = np.einsum("ni,nijk->njk", w, placements(**words))
    in_the_world = np.einsum("ni,nijk->njk", w, placements(external=words["external"]))
    known = ~np.isnan(expected)
    assert known.any() and not known.all() and np.abs(expected - in_the_world)[known].max() > 0.1
    solver = zw.Solver(robot, zw.ConstraintSet(robot))
    solver.solve(q, v, tau, **words)
    many = solver.vjp(acceleration=w)
    for k in range(3):
        assert solver.solve(q[k], v[k], tau[k], **words).status == "ok"
        for found in (many.placement[k], solver.vjp(acceleration=w[k]).placement):
            assert np.array_equal(np.isnan(found), ~known[k])
            close(found[known[k]], expected[k][known[k]], 1e-9)  # M twice: its condition times eps


def test_gradients_by_placement_know_the_axes_of_a_frame_where_rows_hold():
    """The same with rows, whose multipliers and driver torques count, against models with another place of a joint."""
    q, v, tau = np.array([0.3, -0.4, 0.8]), np.array([1.0, 2.0, -1.5]), np.array([0.5, 1.0, -2.0])
    shift = np.array([0.3, -0.5, 0.7, 0.4, 0.8, -0.6])

    def solver(moved=0.0):
        b = zw.ModelBuilder("arm").add_link("base")
        for k in range(3):
            b.add_link(f"l{k}", mass=1.0 + k, centre=[0.1, 0.02, 0.3], inertia=np.diag([0.02, 0.03, 0.04]))
            origin = np.eye(4)
            origin[2, 3] = 0.3
            if k == 1:
                origin = origin @ zw.exp_se3(moved * shift)
            b.add_joint(f"j{k}", "revolute", "base" if k == 0 else f"l{k - 1}", f"l{k}", origin,
                        [[0, 0, 1], [0, 1, 0], [1, 0, 0]][k])
        robot = b.build()
        s = zw.ConstraintSet(robot)
        s.add_frame("hold", frame="l2", rows=["linear.x"], role="driver", beta=[0.3])
        return zw.Solver(robot, s)

    words = {"external": {"l2": [30, -20, 15, 3, 2, -4]}, "in_": "l1"}
    one = solver()
    solution = one.solve(q, v, tau, **words)
    rng = np.random.default_rng(2)
    weights = {n: rng.uniform(-1, 1, getattr(solution, n).shape) for n in NAMES}
    g = one.vjp(**weights)
    cost = lambda e: (lambda s: sum(w @ getattr(s, n) for n, w in weights.items()))(solver(e).solve(q, v, tau, **words))
    joints = [x.name for x in one.model.joints]
    close(g.placement[joints.index("j1")] @ shift, difference(cost))


def test_arrays_of_another_shape_are_not_read(problem):
    p = problem
    p.solve()
    d = p.solver.derivatives()
    d.acceleration.tau.shape = (p.robot.nv ** 2, 1)
    with pytest.raises(ValueError, match="shape"):
        d.acceleration.external(p.foot)


def test_numbers_beyond_the_range_are_a_status():
    """A heavy gantry, whose mass matrix is constant: what overflows is the gradient by the compliance alone."""
    b = zw.ModelBuilder("gantry").add_link("base")
    for k, axis in enumerate(([1, 0, 0], [0, 1, 0])):
        b.add_link(f"l{k}", mass=1e12, centre=[0, 0, 0], inertia=np.eye(3))
        b.add_joint(f"j{k}", "prismatic", "base" if k == 0 else "l0", f"l{k}", np.eye(4), axis)
    robot = b.build()
    s = zw.ConstraintSet(robot)
    s.add_coupling("soft", robot.coordinate_names, ratio=[1, -1], policy="soft", compliance=0.5)
    solver = zw.Solver(robot, s)
    assert solver.solve(np.zeros(2), tau=[1e16, 0]).status == "ok"
    assert solver.vjp(multipliers=[1.0]).status == "ok"
    g = solver.vjp(multipliers=[1e305])
    assert g.status == "overflow" and not g.compliance.any() and not g.beta.any()


def test_the_solver_is_left_as_it_was(problem):
    """Rows that depend on each other: their derivatives move the bodies otherwise, and resolve() must not notice."""
    p, r = problem, problem.robot
    p.set.add_contact("hard again", frame=p.foot, beta=[0.1, 0.2, 0.3])
    solver, tau, w = zw.Solver(r, p.set), p.rng.uniform(-5, 5, r.nv), p.rng.uniform(-1, 1, r.nv)
    expected = zw.Solver(r, p.set).solve(p.q, p.v, tau)
    for derive in (solver.derivatives, lambda: solver.vjp(multipliers=np.ones(p.set.rows)), lambda: solver.jvp(q=w),
                   lambda: solver.hvp(q=w, acceleration=w)):
        solution = solver.solve(p.q, p.v, p.tau)
        assert solution.status == "ok" and solution.report.rank < p.set.rows
        assert derive().status == "ok"
        found = solver.resolve(tau)
        for name in (*NAMES, "residual", "velocity_error"):
            close(getattr(found, name), getattr(expected, name), 1e-10)


def test_what_has_no_derivative_is_a_status():
    arm = zw.load("models/arm7.urdf")
    s = zw.ConstraintSet(arm)
    s.add_frame("a", frame="tool0", rows=["linear.x"], beta=[1])
    s.add_frame("b", frame="tool0", rows=["linear.x"], beta=[2])
    solver = zw.Solver(arm, s)
    with pytest.raises(RuntimeError):
        solver.derivatives()
    solution = solver.solve(arm.neutral() + 0.3)
    assert solution.status == "infeasible"
    d = solver.derivatives()
    assert d.status == "not_differentiable" and d.reason and not d.acceleration.q.any()
    assert "not_differentiable" in repr(d)
    for x in (solver.vjp(acceleration=np.ones(arm.nv)), solver.jvp(q=np.ones(arm.nv))):
        assert x.status == "not_differentiable" and x.reason


@pytest.mark.parametrize("words", [{"acceleration": np.ones(3)}, {"acceleration": np.full(7, np.nan)},
                                   {"multipliers": np.ones(99)}, {"motor_torque": "x"},
                                   {"acceleration": np.ones((2, 7))}])
def test_hostile_arguments(words):
    arm = zw.load("models/arm7.urdf")
    s = zw.ConstraintSet(arm)
    s.add_frame("a", frame="tool0", rows=["linear"])
    solver = zw.Solver(arm, s)
    solver.solve(arm.neutral() + 0.3)
    with pytest.raises((ValueError, TypeError)):
        solver.vjp(**words)


def test_products_of_inverse_and_forward_dynamics():
    robot = zw.load("models/quadruped.urdf", root="floating")
    rng = np.random.default_rng(1)
    n = 4
    q = np.array([zw.integrate(robot, robot.neutral(), rng.uniform(-1, 1, robot.nv)) for _ in range(n)])
    v, a, w, dq, dv, da = (rng.uniform(-1, 1, (n, robot.nv)) for _ in range(6))
    d, f = zw.inverse_dynamics_derivatives(robot, q, v, a), zw.forward_dynamics_derivatives(robot, q, v, a)
    times = lambda M, x: np.einsum("nij,nj->ni", M, x)
    close(zw.inverse_dynamics_jvp(robot, q, v, a, dq, dv, da), times(d.q, dq) + times(d.v, dv) + times(d.a, da), 1e-12)
    close(zw.forward_dynamics_jvp(robot, q, v, a, dq, dv, da), times(f.q, dq) + times(f.v, dv) + times(f.tau, da), 1e-9)
    close(zw.inverse_dynamics_jvp(robot, q, v, a, dv=dv), times(d.v, dv), 1e-12)
    g, h = zw.inverse_dynamics_vjp(robot, q, v, a, w), zw.forward_dynamics_vjp(robot, q, v, a, w)
    for by in ("q", "v", "a"):
        close(getattr(g, by), np.einsum("nij,ni->nj", getattr(d, by), w), 1e-11)
    for by in ("q", "v", "tau"):
        close(getattr(h, by), np.einsum("nij,ni->nj", getattr(f, by), w), 1e-9)


def test_the_hessian_times_a_direction(problem):
    p, r = problem, problem.robot
    rng, rows = p.rng, p.set.rows
    dq, dv, dtau = (rng.uniform(-1, 1, r.nv) for _ in range(3))
    p.solve()
    weights = {"acceleration": rng.uniform(-1, 1, r.nv), "multipliers": rng.uniform(-1, 1, rows),
               "motor_torque": rng.uniform(-1, 1, r.nv)}
    h = p.solver.hvp(q=dq, v=dv, tau=dtau, **weights)
    assert h.status == "ok" and h.reason == "" and "ok" in repr(h)

    def gradient(e, name):
        p.solve(q=zw.integrate(r, p.q, e * dq), v=p.v + e * dv, tau=p.tau + e * dtau)
        return np.array(getattr(p.solver.vjp(**weights), name))

    for name in ("q", "v", "tau", "beta"):
        close(getattr(h, name), difference(lambda e: gradient(e, name)))
    p.solve()
    dbeta = rng.uniform(-1, 1, rows)
    close(p.solver.hvp(beta=dbeta, **weights).q @ dq, p.solver.hvp(q=dq, **weights).beta @ dbeta, 1e-10)
    close(p.solver.hvp(v=dv, **weights).q @ dq, p.solver.hvp(q=dq, **weights).v @ dv, 1e-10)
    for bad in ({"q": dq[1:]}, {"acceleration": dq[1:]}, {"multipliers": dq}, {"beta": dq}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            p.solver.hvp(**bad)


def test_no_hessian_is_a_status(problem):
    p = problem
    p.solve(in_="RH_foot", external={p.foot: [30, -20, 15, 3, 2, -4]})
    h = p.solver.hvp(q=p.tau, acceleration=p.tau)
    assert h.status == "not_differentiable" and "axes" in h.reason and not h.q.any() and not h.beta.any()
    p.set.add_contact("again", frame=p.foot, beta=[0.1, 0.2, 0.3])
    again = zw.Solver(p.robot, p.set)
    assert again.solve(p.q, p.v, p.tau).report.rank < p.set.rows
    assert again.hvp(q=p.tau, acceleration=p.tau).status == "ok"
    h = again.hvp(q=p.tau, multipliers=np.ones(p.set.rows))
    assert h.status == "not_differentiable" and "depend" in h.reason and not h.q.any()


def test_the_hessian_is_that_of_one_state(problem):
    p = problem
    p.solve()
    p.solver.solve(np.tile(p.q, (3, 1)), p.v, p.tau)
    with pytest.raises(RuntimeError, match="N states"):
        p.solver.hvp(q=p.tau, acceleration=p.tau)
    p.solve()
    assert p.solver.hvp(q=p.tau, acceleration=p.tau).status == "ok"
