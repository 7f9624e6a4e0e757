# SPDX-License-Identifier: BSD-3-Clause
"""zwang.casadi: Jacobians and adjoints against differences, and an optimisation whose answer is known."""
import gc

import numpy as np
import pytest

import zwang as zw

casadi = pytest.importorskip("casadi", reason="the package casadi is not installed")
zc = zw.casadi


@pytest.fixture(scope="module")
def dog():
    return zw.load("models/quadruped.urdf", root="floating")


def draw(model, seed=1):
    r = np.random.default_rng(seed)
    return model.random(seed), *(r.uniform(-1, 1, model.nv) for _ in range(3))


def jacobian(f, x, h=1e-6):
    return np.stack([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))], axis=-1)


def near(a, b, tolerance=1e-6):
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape and np.abs(a - b).max() <= tolerance * (1 + np.abs(b).max())


def functions(model, frame):
    q, v, x, dq = draw(model)
    wrench = np.array([1., -2, 3, 0.4, 0.5, -0.6])
    yield zc.inverse_dynamics(model, [frame]), (q, v, x, wrench)
    yield zc.forward_dynamics(model, [frame]), (q, v, x, wrench)
    yield zc.frame_pose(model, frame), (q,)
    yield zc.frame_position(model, frame), (q,)
    yield zc.frame_velocity(model, frame), (q, v)
    yield zc.frame_acceleration(model, frame, "spatial", "local"), (q, v, x)
    yield zc.centre_of_mass(model), (q,)
    yield zc.integrate(model), (q, dq)
    yield zc.difference(model), (q, zw.integrate(model, q, 0.3 * dq))


def test_values_are_those_of_the_library(dog):
    q, v, x, dq = draw(dog)
    wrench = np.array([1., -2, 3, 0.4, 0.5, -0.6])
    tau = zc.inverse_dynamics(dog, ["LF_foot"])
    assert tau.name_in() == ["q", "v", "a", "LF_foot"] and tau.name_out() == ["tau"]
    near(tau(q, v, x, wrench).full()[:, 0], zw.inverse_dynamics(dog, q, v, x, external={"LF_foot": wrench}), 1e-13)
    near(zc.forward_dynamics(dog)(q, v, x).full()[:, 0], zw.forward_dynamics(dog, q, v, x), 1e-12)
    near(zc.frame_pose(dog, "LF_foot")(q).full().reshape(4, 4), zw.frame_pose(dog, q, "LF_foot"), 1e-14)
    near(zc.integrate(dog)(q, dq).full()[:, 0], zw.integrate(dog, q, dq), 1e-14)
    assert zc.forward_dynamics(dog) is zc.forward_dynamics(dog)


def test_jacobians_and_adjoints(dog):
    for f, arguments in functions(dog, "LF_foot"):
        names = [casadi.MX.sym(n, len(x)) for n, x in zip(f.name_in(), arguments)]
        w = np.linspace(-1, 1, f.size1_out(0))
        for k, x in enumerate(arguments):
            expected = jacobian(lambda y: f(*arguments[:k], y, *arguments[k + 1:]).full()[:, 0], x)
            J = casadi.Function("J", names, [casadi.jacobian(f(*names), names[k])])
            near(J(*arguments).full(), expected)
            g = casadi.Function("g", names, [casadi.gradient(casadi.dot(casadi.DM(w), f(*names)), names[k])])
            near(g(*arguments).full()[:, 0], w @ expected)
            t = casadi.Function("t", names, [casadi.jtimes(f(*names), names[k], casadi.DM(np.ones(len(x))))])
            near(t(*arguments).full()[:, 0], expected.sum(axis=1))


def symbolic_functions(model, frame, other, third):
    effects = zw.JointEffects(armature=False, friction=True)
    for make in (zc.inverse_dynamics, zc.forward_dynamics):
        yield make(model, [frame, other], in_=third, joint_effects=effects, gravity=[0.3, 1, -9]), dict(
            external=[frame, other], in_=third, joint_effects=effects, gravity=[0.3, 1, -9]), make
        for in_ in ("local", "world"):
            yield make(model, [frame], in_=in_), dict(external=[frame], in_=in_), make
    for reference in ("local", "world", "local_world_aligned", third):
        yield zc.frame_velocity(model, frame, reference), dict(frame=frame, reference=reference), zc.frame_velocity
        for kind in ("classical", "spatial"):
            words = dict(frame=frame, kind=kind, reference=reference)
            yield zc.frame_acceleration(model, frame, kind, reference), words, zc.frame_acceleration
    for make in (zc.frame_pose, zc.frame_position):
        yield make(model, frame), dict(frame=frame), make
    for make in (zc.centre_of_mass, zc.integrate, zc.difference):
        yield make(model), {}, make


@pytest.mark.parametrize("path, frames", [("quadruped", ("LF_foot", "RF_foot", "LH_foot")), ("arm7", ("tool0", "link3", "link5")),
                                          ("humanoid", ("right_thumb", "left_sole", "right_finger"))])
def test_formulas_equal_calls(path, frames):
    """Values in SX against the library, Jacobians against its exact ones; quaternions, mimic joints and wrenches, too."""
    model = zw.load(f"models/{path}.urdf", root="fixed" if path == "arm7" else "floating")
    r = np.random.default_rng(5)
    for call, words, make in symbolic_functions(model, *frames):
        formula = make(model, symbolic=True, **words)
        assert formula.name_in() == call.name_in() and formula.name_out() == call.name_out()
        x = [zw.integrate(model, model.neutral(), r.uniform(-0.4, 0.4, model.nv)) if n in ("q", "q0", "q1")
             else r.uniform(-1, 1, call.size1_in(k)) for k, n in enumerate(call.name_in())]
        near(formula(*x).full(), call(*x).full(), 1e-11)
        symbols = [casadi.SX.sym(n, len(y)) for n, y in zip(call.name_in(), x)]
        for k, s in enumerate(symbols):
            exact = casadi.Function("J", symbols, [casadi.jacobian(formula(*symbols), s)])(*x).full()
            if words.get("reference") in frames:  # of which calls have no derivatives
                near(exact, jacobian(lambda y: formula(*x[:k], y, *x[k + 1:]).full()[:, 0], x[k]))
                continue
            names = [casadi.MX.sym(n, len(y)) for n, y in zip(call.name_in(), x)]
            near(exact, casadi.Function("J", names, [casadi.jacobian(call(*names), names[k])])(*x).full(), 1e-9)


def test_formulas_are_c_code_and_have_second_derivatives(tmp_path):
    arm = zw.load("models/arm7.urdf")
    f = zc.inverse_dynamics(arm, symbolic=True)
    q, v, a = (casadi.SX.sym(n, 7) for n in "qva")
    H = casadi.Function("H", [q, v, a], [casadi.hessian(f(q, v, a)[2], q)[0]])
    r = np.random.default_rng(1)
    x = r.uniform(-1, 1, (3, 7))
    d = zw.inverse_dynamics_second_derivatives(arm, *x)
    near(H(*x).full(), d.qq[2], 1e-10)
    generator = casadi.CodeGenerator("arm")
    generator.add(f)
    assert "zwang_inverse_dynamics" in (tmp_path / generator.generate(f"{tmp_path}/")).read_text()


def test_formulas_refuse():
    arm = zw.load("models/arm7.urdf")
    for wrong in (lambda: zc.frame_pose(arm, "hand", symbolic=True),
                  lambda: zc.frame_velocity(arm, "tool0", "base_axes", symbolic=True),
                  lambda: zc.frame_acceleration(arm, "tool0", "proper", symbolic=True),
                  lambda: zc.inverse_dynamics(arm, ["hand"], symbolic=True),
                  lambda: zc.inverse_dynamics(arm, gravity=[0, 0], symbolic=True),
                  lambda: zc.inverse_dynamics(arm, gravity=[0, 0, np.nan], symbolic=True)):
        with pytest.raises(ValueError):
            wrong()


def test_functions_of_expressions_live_on():
    arm = zw.load("models/arm7.urdf")

    def expression():
        q = casadi.MX.sym("q", arm.nq)
        tau = zc.inverse_dynamics(arm)(q, np.zeros(7), np.zeros(7))
        return casadi.Function("g", [q], [tau, casadi.jacobian(tau, q)])

    f = expression()
    gc.collect()
    q = arm.random(3)
    near(f(q)[0].full()[:, 0], zw.gravity_forces(arm, q), 1e-12)
    near(f(q)[1].full(), zw.gravity_forces_derivatives(arm, q), 1e-12)
    near(f.map(3)(np.stack([q] * 3).T)[0].full()[:, 2], zw.gravity_forces(arm, q), 1e-12)


def test_solve(dog):
    s = zw.ConstraintSet(dog)
    s.add_contact("hard", frame="LF_foot")
    s.add_contact("soft", frame="RF_foot", policy="soft", compliance=0.05)
    f = zc.solve(zw.Solver(dog, s), ["RH_foot"], beta=True)
    r = np.random.default_rng(2)
    q = zw.integrate(dog, dog.neutral(), r.uniform(-0.4, 0.4, dog.nv))
    arguments = (q, r.uniform(-1, 1, dog.nv), r.uniform(-5, 5, dog.nv), r.uniform(-1, 1, 6), r.uniform(-5, 5, 6))
    names = [casadi.MX.sym(n, len(x)) for n, x in zip(f.name_in(), arguments)]
    for k, x in enumerate(arguments):
        expected = jacobian(lambda y: f(*arguments[:k], y, *arguments[k + 1:]).full()[:, 0], x)
        near(casadi.Function("J", names, [casadi.jacobian(f(*names), names[k])])(*arguments).full(), expected, 1e-5)
        g = casadi.Function("g", names, [casadi.gradient(casadi.sum1(f(*names)), names[k])])
        near(g(*arguments).full()[:, 0], expected.sum(axis=0), 1e-5)


def two_joints():
    b = zw.ModelBuilder("planar arm").add_link("base")
    inertia = np.diag([1e-3, 0.02, 0.02])
    second = np.eye(4)
    second[0, 3] = 0.5
    for k, (parent, pose) in enumerate((("base", np.eye(4)), ("link0", second))):
        b.add_link(f"link{k}", mass=1.0, centre=[0.25, 0, 0], inertia=inertia)
        b.add_joint(f"joint{k}", "revolute", parent, f"link{k}", origin=pose, axis=[0, 1, 0],
                    lower=-10, upper=10, velocity=100, effort=1000)
    return b.build()


def textbook(q, v, a, g=9.81, m=1.0, length=0.5, c=0.25, i=0.02):
    """Inverse dynamics of two equal links (Spong, Robot Modeling and Control, section 7.4); y turns x downwards."""
    t1, t2 = q[0], q[1]
    d = (m * (2 * c * c + length ** 2 + 2 * length * c * casadi.cos(t2)) + 2 * i,
         m * (c * c + length * c * casadi.cos(t2)) + i)
    h = -m * length * c * casadi.sin(t2)
    f1 = (m * c + m * length) * g * casadi.cos(t1) + m * c * g * casadi.cos(t1 + t2)
    return casadi.vertcat(d[0] * a[0] + d[1] * a[1] + h * (2 * v[0] * v[1] + v[1] ** 2) - f1,
                          d[1] * a[0] + (m * c * c + i) * a[1] - h * v[0] ** 2 - m * c * g * casadi.cos(t1 + t2))


def swing(dynamics):
    """Least torque from one rest to another: 20 steps of the trapezoidal rule."""
    steps, h = 20, 0.05
    opti = casadi.Opti()
    q, v, a = opti.variable(2, steps + 1), opti.variable(2, steps + 1), opti.variable(2, steps + 1)
    cost = 0
    for k in range(steps + 1):
        cost += casadi.sumsqr(dynamics(q[:, k], v[:, k], a[:, k])) * h
        if k:
            opti.subject_to(q[:, k] == q[:, k - 1] + h / 2 * (v[:, k] + v[:, k - 1]))
            opti.subject_to(v[:, k] == v[:, k - 1] + h / 2 * (a[:, k] + a[:, k - 1]))
    opti.minimize(cost)
    opti.subject_to(q[:, 0] == [1.2, 0.3])
    opti.subject_to(q[:, -1] == [-0.5, 0.8])
    opti.subject_to(v[:, 0] == 0)
    opti.subject_to(v[:, -1] == 0)
    opti.set_initial(q, np.linspace([1.2, 0.3], [-0.5, 0.8], steps + 1).T)
    opti.solver("ipopt", {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes", "ipopt.tol": 1e-8,
                          "ipopt.max_iter": 200})
    found = opti.solve()
    return found.value(cost), found.value(q)


def test_an_optimal_swing_is_that_of_the_textbook():
    arm = two_joints()
    q, v, a = [0.3, -0.7], [0.5, 1.1], [-0.2, 0.9]
    near(zw.inverse_dynamics(arm, q, v, a), textbook(q, v, a).full()[:, 0], 1e-13)
    cost, path = swing(zc.inverse_dynamics(arm))
    truth, true_path = swing(textbook)
    assert abs(cost - truth) < 1e-5 * truth
    near(path, true_path, 1e-3)


def test_nlpsol_finds_the_nearest_attitude(dog):
    """The nearest configuration to q1 whose base has turned as it must: a quaternion among the variables."""
    q0, q1 = dog.neutral(), zw.integrate(dog, dog.neutral(), np.linspace(-0.5, 0.6, dog.nv))
    x = casadi.MX.sym("q", dog.nq)
    cost = casadi.sumsqr(zc.difference(dog)(q1, x))
    feet = zc.frame_position(dog, "LF_foot")
    problem = {"x": x, "f": cost, "g": casadi.vertcat(casadi.sumsqr(x[3:7]), feet(x))}
    solver = casadi.nlpsol("near", "ipopt", problem, {
        "print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes",
        "ipopt.hessian_approximation": "limited-memory"})
    target = zw.frame_pose(dog, q1, "LF_foot")[:3, 3]
    found = solver(x0=q0, lbg=[1, *target], ubg=[1, *target])
    assert solver.stats()["success"]
    near(zw.difference(dog, q1, zw.normalize(dog, found["x"].full()[:, 0])), np.zeros(dog.nv), 1e-4)
