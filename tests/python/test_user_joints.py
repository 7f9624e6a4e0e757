# SPDX-License-Identifier: BSD-3-Clause
"""Joints written in Python, and along splines: against the same joint of the library, differences and energy; what they refuse."""
import gc
import pathlib
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
import zwang as zw
from conftest import close


class Screw:
    """A helical joint about z."""
    nv = 1
    pitch = 0.3

    def pose(self, q):
        T = np.eye(4)
        T[:3, :3], T[2, 3] = zw.exp_so3([0, 0, q[0]]), self.pitch * q[0]
        return T

    def columns(self, q):
        return [0, 0, self.pitch, 0, 0, 1]


class Universal:
    """About z, then about the turned x."""
    name = "cardan"
    nv = 2

    def pose(self, q):
        T = np.eye(4)
        T[:3, :3] = zw.exp_so3([0, 0, q[0]]) @ zw.exp_so3([q[1], 0, 0])
        return T

    def columns(self, q):
        c, s = np.cos(q[1]), np.sin(q[1])
        return np.array([[0, 0], [0, 0], [0, 0], [0, 1], [s, 0], [c, 0]])

    def rates(self, q, v):
        c, s = np.cos(q[1]), np.sin(q[1])
        return v[1] * np.array([[0, 0], [0, 0], [0, 0], [0, 0], [c, 0], [-s, 0]])

    def rates_derivative(self, q, v, d):
        c, s = np.cos(q[1]), np.sin(q[1])
        return v[1] * d[1] * np.array([[0, 0], [0, 0], [0, 0], [0, 0], [-s, 0], [-c, 0]])


class Failing(Screw):
    fails = False

    def pose(self, q):
        if self.fails:
            raise ArithmeticError("the joint is stuck")
        return super().pose(q)


def arm(first, second, **words):
    """A base, two joints of the given types, three links."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = zw.rotation_from_rpy([0.3, -0.5, 1]), [0.1, 0.2, 0.3]
    b = zw.ModelBuilder("arm")
    for k, name in enumerate(("base", "a", "b", "c")):
        b.add_link(name, 1 + k, (0.1, -0.1 * k, 0.2), np.diag([0.3, 0.4, 0.5]) * (1 + k))
    b.add_joint("zero", "revolute", "base", "a", origin=pose, axis=(1, 0, 0), damping=0.1)
    b.add_joint("one", first, "a", "b", origin=pose, **words)
    b.add_joint("two", second, "b", "c", origin=pose)
    return b.build()


OURS, THEIRS = arm(Screw(), Universal()), arm("helical", "universal", parameters=[0.3])


def state(seed=1):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(4, OURS.nv))


@pytest.mark.parametrize("seed", range(5))
def test_the_same_joint_of_the_library(seed):
    q, v, a, tau = state(seed)
    for name, given in [("inverse_dynamics", (q, v, a)), ("forward_dynamics", (q, v, tau)), ("bias_forces", (q, v)), ("mass_matrix", (q,)),
                        ("mass_matrix_inverse", (q,)), ("coriolis_matrix", (q, v)), ("centroidal_map", (q,)),
                        ("centroidal_map_dot", (q, v)), ("kinetic_energy", (q, v)), ("potential_energy", (q,)),
                        ("inverse_dynamics_regressor", (q, v, a)), ("integrate", (q, v)), ("difference", (q, a))]:
        ours, theirs = (getattr(zw, name)(m, *given) for m in (OURS, THEIRS))
        close(ours, theirs)
    for name, given in [("frame_pose", (q,)), ("frame_velocity", (q, v)), ("frame_acceleration", (q, v, a)), ("jacobian", (q,)),
                        ("jacobian_dot", (q, v)), ("kinematic_hessian", (q,))]:
        close(getattr(zw, name)(OURS, *given, "c"), getattr(zw, name)(THEIRS, *given, "c"))


def test_derivatives_are_those_of_the_library():
    q, v, a, tau = state()
    for name, given in [("inverse_dynamics_derivatives", (q, v, a)), ("forward_dynamics_derivatives", (q, v, tau))]:
        ours, theirs = (getattr(zw, name)(m, *given) for m in (OURS, THEIRS))
        close(ours.q, theirs.q)
        close(ours.v, theirs.v)
    ours, theirs = (zw.frame_acceleration_derivatives(m, q, v, a, "c") for m in (OURS, THEIRS))
    close(ours.q, theirs.q)
    g, h = (zw.inverse_dynamics_vjp(m, q, v, a, tau) for m in (OURS, THEIRS))
    close(g.q, h.q)


def test_solves_motions_and_inverse_kinematics():
    q, v, a, tau = state()
    results = []
    for m in (OURS, THEIRS):
        held = zw.ConstraintSet(m)
        held.add_frame("tip", "c", "linear.x")
        solver = zw.Solver(m, held)
        s = solver.solve(q, v, tau)
        d = solver.derivatives()
        t = zw.simulate(m, None, q, v, time=0.2)
        results.append((s.acceleration, s.multipliers, d.acceleration.q, t.q[-1]))
    for ours, theirs in zip(*results):
        close(ours, theirs)


def test_gradients_know_their_coordinates():
    from zwang._tangent import Tangent
    along = arm("spline", "revolute", parameters=zw.spline_parameters(curve()))
    for m in (OURS, along):
        g = np.arange(1.0, 1 + m.nv)
        assert np.array_equal(Tangent(m).raised(np.ones(m.nq), g), g)  # all add


def test_many_states_are_one_after_the_other():
    q = np.stack([state(k)[0] for k in range(40)])
    v = np.stack([state(k)[1] for k in range(40)])
    h = zw.bias_forces(OURS, q, v)
    for k in range(40):
        assert np.array_equal(h[k], zw.bias_forces(OURS, q[k], v[k]))


def test_motions_of_many_states_run_on_the_thread_of_the_call():
    seen = set()

    class Watched(Screw):
        def pose(self, q):
            seen.add(threading.get_ident())
            return super().pose(q)

    m = arm(Watched(), "universal")
    q, v = np.stack([state(k)[0] for k in range(8)]), np.stack([state(k)[1] for k in range(8)])
    seen.clear()
    with zw.set_threads(4):
        many = zw.simulate(m, None, q, v, time=0.02, dt=0.01)
    assert seen == {threading.get_ident()}
    for k in range(8):
        assert np.array_equal(many.q[k], zw.simulate(m, None, q[k], v[k], time=0.02, dt=0.01).q)


def test_two_threads_may_use_one_observer():
    """A joint that lets the other thread run, which waits for the observer: in a process of its own, since two threads that wait for
    each other never end."""
    program = '''
import sys, threading, time
sys.path.insert(0, sys.argv[1])
import numpy as np, zwang as zw
from test_user_joints import Screw, arm

class Slow(Screw):
    def pose(self, q):
        time.sleep(0)  # lets the other thread run
        return super().pose(q)

m = arm(Slow(), "revolute")
observer = zw.WrenchObserver(m, "c")
zero = np.zeros(m.nv)
observer.start(zero, zero, zero)
threads = [threading.Thread(target=lambda: [observer.update(zero, zero, zero, 0.01) for _ in range(5)]) for _ in range(2)]
for t in threads: t.start()
for t in threads: t.join()
'''
    subprocess.run([sys.executable, "-c", program, str(pathlib.Path(__file__).parent)], check=True)


def test_what_runs_in_lanes_or_on_threads_refuses():
    q, v, _, tau = state()
    many = np.stack([q, q])
    held = zw.ConstraintSet(OURS)
    held.add_frame("tip", "c", "linear.x")
    solver = zw.Solver(OURS, held)
    for call in (lambda: solver.solve(many, many, many), lambda: zw.BatchSimulator(OURS, None, 2),
                 lambda: zw.Assembler(OURS, held).assemble(many), lambda: zw.rollout(OURS, many, many, steps=3, dt=0.01)):
        with pytest.raises(zw.UnsupportedError, match="'one' is written in Python"):
            call()
    for one in (lambda: zw.rollout(OURS, q, v, tau, steps=3, dt=0.01), lambda: zw.rollout(OURS, many, many, steps=3, dt=0.01)):
        with pytest.raises(zw.UnsupportedError, match="rollouts are computed .*; use zwang.simulate$"):
            one()


def test_documents_refuse_in_words_of_python():
    with pytest.raises(zw.UnsupportedError, match="joint 'one' is user-defined: its code is not in the robot's document$"):
        OURS.to_json()


def test_exceptions_of_the_joint_are_those_of_the_call():
    joint = Failing()
    model = arm(joint, "revolute")
    q, v, a = np.zeros((3, model.nv))
    held = zw.ConstraintSet(model)
    held.add_frame("tip", "c", "linear.x")
    solver = zw.Solver(model, held)
    joint.fails = True
    many = np.zeros((300, model.nv))
    for call in (lambda: zw.frame_pose(model, q, "c"), lambda: zw.inverse_dynamics(model, q, v, a), lambda: zw.forward_dynamics(model, q, v, a),
                 lambda: zw.mass_matrix(model, q), lambda: solver.solve(q, v, a), lambda: zw.inverse_dynamics(model, many, many, many),
                 lambda: zw.inverse_dynamics_derivatives(model, q, v, a), lambda: zw.simulate(model, None, q, v, time=0.01)):
        with pytest.raises(ArithmeticError, match="the joint is stuck"):
            call()
    joint.fails = False
    solver.solve(q, v, a)
    assert np.all(np.isfinite(zw.forward_dynamics(model, q, v, a)))


def test_wrong_answers_are_refused():
    class Wrong(Screw):
        answer = np.eye(4)

        def pose(self, q):
            return self.answer

    joint = Wrong()
    model = arm(joint, "revolute")
    for bad, match in [(np.eye(3), "shape"), (2 * np.eye(4), "last row"), (np.diag([2.0, 2, 2, 1]), "no rotation"),
                       (np.full((4, 4), np.nan), "nan"), (None, "NoneType")]:
        joint.answer = bad
        with pytest.raises(ValueError, match=match):
            zw.frame_pose(model, np.zeros(model.nq), "c")
    for missing in ("pose", "columns"):
        with pytest.raises(ValueError, match=missing):
            arm(type("Less", (), {"nv": 1, **{n: getattr(Screw, n) for n in ("pose", "columns") if n != missing}})(), "revolute")
    for nv in (0, 7, "1", None):
        with pytest.raises(ValueError, match="nv from 1 to 6"):
            arm(type("Less", (Screw,), {"nv": nv})(), "revolute")
    with pytest.raises(ValueError, match="shape"):
        arm(type("Less", (Screw,), {"nv": 2})(), "revolute")
    with pytest.raises(ValueError, match="parameters"):
        arm(Screw(), "revolute", parameters=[1.0])


def test_joints_are_checked_against_themselves():
    rng = np.random.default_rng(2)
    for _ in range(10):
        zw.check_joint(Screw(), rng.normal(size=1))
        zw.check_joint(Universal(), rng.normal(size=2), rng.normal(size=2))
    wrong = [("columns", lambda self, q: [0, 0, 0.31, 0, 0, 1], Screw), ("columns", lambda self, q: [0, 0, 0.3, 0, 0, -1], Screw),
             ("rates", lambda self, q, v: np.zeros((6, 2)), Universal), ("rates_derivative", lambda self, q, v, d: np.zeros((6, 2)), Universal)]
    for name, function, kind in wrong:
        with pytest.raises(ValueError, match=name + r"\(.* differs from the derivative"):
            zw.check_joint(type("Wrong", (kind,), {name: function})(), np.full(kind.nv, 0.4), np.full(kind.nv, 0.7))
    for q, v in [([1, 2], None), ([np.nan], None), ([1], [1, 2])]:
        with pytest.raises(ValueError, match="check_joint"):
            zw.check_joint(Screw(), q, v)


def test_derivatives_that_need_more_say_so():
    less = type("Less", (), {"nv": 2, "pose": Universal.pose, "columns": Universal.columns, "rates": Universal.rates})()
    model = arm(less, "revolute")
    q, v, a = np.full((3, model.nv), 0.3)
    zw.inverse_dynamics(model, q, v, a)
    with pytest.raises(zw.UnsupportedError, match="rates_derivative"):
        zw.inverse_dynamics_derivatives(model, q, v, a)
    with pytest.raises(zw.UnsupportedError):
        zw.inverse_dynamics_second_derivatives(OURS, *np.full((3, OURS.nv), 0.3))


def test_no_document_holds_such_a_joint():
    for call in (lambda: pickle.dumps(OURS), lambda: OURS.to_json(), lambda: zw.write_urdf(OURS)):
        with pytest.raises((zw.UnsupportedError, ValueError), match="one"):
            call()


def test_threads_share_the_model():
    q, v, a, _ = state()
    wanted = zw.inverse_dynamics(OURS, q, v, a)
    many = np.stack([q] * 200), np.stack([v] * 200), np.stack([a] * 200)
    wrong = []

    def work():
        for _ in range(5):
            if not np.array_equal(zw.inverse_dynamics(OURS, *many)[-1], wanted):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_joints_go_with_their_models():
    models = [arm(Screw(), "revolute") for _ in range(3)]
    kept = models[1]
    del models
    gc.collect()
    other = arm(Universal(), "revolute")
    assert other.nv == 4 and kept.nv == 3
    close(zw.frame_pose(kept, [0.1, 0.2, 0.3], "c"), zw.frame_pose(arm("helical", "revolute", parameters=[0.3]), [0.1, 0.2, 0.3], "c"))


# --- splines ------------------------------------------------------------------------------------------------------------

def curve(seed=3, n=7):
    rng = np.random.default_rng(seed)
    poses = [np.eye(4)]
    for _ in range(n - 1):
        poses.append(poses[-1] @ zw.exp_se3(rng.uniform(-0.6, 0.6, 6)))
    return np.stack(poses)


def test_a_spline_of_poses_on_a_screw_is_the_screw():
    twist = np.array([0, 0, 0.3 * 0.4, 0, 0, 0.4])  # 0.4 rad and the pitch of the helical joint for a step of 0.4
    poses = np.stack([zw.exp_se3(twist * (k - 1)) for k in range(9)])
    spline, screw = arm("spline", "universal", parameters=zw.spline_parameters(poses, 0.4)), THEIRS
    assert spline.limits.lower[1] == 0 and abs(spline.limits.upper[1] - 6 * 0.4) < 1e-15
    for seed in range(5):
        q, v, a, tau = state(seed)  # also beyond the range: the polynomials of a screw are its own
        for name, given in [("inverse_dynamics", (q, v, a)), ("forward_dynamics", (q, v, tau)), ("mass_matrix", (q,)),
                            ("coriolis_matrix", (q, v))]:
            close(getattr(zw, name)(spline, *given), getattr(zw, name)(screw, *given))
        many = np.stack([q] * 11), np.stack([v] * 11), np.stack([a] * 11)
        close(zw.inverse_dynamics(spline, *many), zw.inverse_dynamics(screw, *many))
        ours, theirs = (zw.inverse_dynamics_derivatives(m, q, v, a) for m in (spline, screw))
        close(ours.q, theirs.q)


def test_a_spline_is_smooth_and_its_jacobian_its_derivative():
    poses = curve()
    m = (zw.ModelBuilder("bead").add_link("base").add_link("bead", 1, (0, 0, 0.1), np.eye(3) * 0.01)
         .add_joint("j", "spline", "base", "bead", parameters=zw.spline_parameters(poses, 0.5)).build())
    h = 1e-5
    for q in np.linspace(-0.2, 2.4, 27):
        T = zw.frame_pose(m, [q], "bead")
        twist = (zw.log_se3(np.linalg.inv(T) @ zw.frame_pose(m, [q + h], "bead")) -
                 zw.log_se3(np.linalg.inv(T) @ zw.frame_pose(m, [q - h], "bead"))) / (2 * h)
        J = zw.jacobian(m, [q], "bead", reference="local")
        assert np.abs(J[:, 0] - twist).max() < 1e-8
        rate = (zw.jacobian(m, [q + h], "bead", reference="local") - zw.jacobian(m, [q - h], "bead", reference="local")) / (2 * h)
        knot = abs(q / 0.5 - round(q / 0.5)) < 1e-9
        assert np.abs(zw.jacobian_dot(m, [q], [1.0], "bead", reference="local") - rate).max() < (1e-4 if knot else 1e-7)
        d = zw.inverse_dynamics_derivatives(m, [q], [0.7], [0.3])
        if not knot:
            difference = (zw.inverse_dynamics(m, [q + h], [0.7], [0.3]) - zw.inverse_dynamics(m, [q - h], [0.7], [0.3])) / (2 * h)
            assert np.abs(d.q[:, 0] - difference).max() < 1e-7 * (1 + np.abs(difference).max())
    for knot in (0.5, 1.0, 1.5):  # S and its rate are continuous
        for f in (lambda q: zw.jacobian(m, [q], "bead"), lambda q: zw.jacobian_dot(m, [q], [1.0], "bead")):
            assert np.abs(f(knot - 1e-9) - f(knot + 1e-9)).max() < 1e-6


def test_a_bead_on_a_spline_keeps_its_energy():
    m = (zw.ModelBuilder("bead").add_link("base").add_link("bead", 1, (0, 0, 0.1), np.eye(3) * 0.01)
         .add_joint("j", "spline", "base", "bead", parameters=zw.spline_parameters(curve(n=12), 0.5)).build())
    q, v = np.array([2.0]), np.array([0.1])
    t = zw.simulate(m, None, q, v, time=0.5, dt=1e-4, integrator="rk4")
    before, after = zw.mechanical_energy(m, q, v), zw.mechanical_energy(m, t.q[-1], t.v[-1])
    assert abs(t.q[-1, 0] - 2) > 0.05 and abs(after - before) < 1e-9


def test_a_spline_in_lanes_is_that_of_one_state():
    m = arm("spline", "spherical", parameters=zw.spline_parameters(curve()))
    rng, n = np.random.default_rng(0), 13
    q = np.stack([m.random(k) for k in range(n)])
    v, tau = rng.normal(size=(2, n, m.nv))
    held = zw.ConstraintSet(m)
    held.add_frame("tip", "c", ["linear.x", "angular.z"])
    solver, ones = zw.Solver(m, held), np.ones((n, m.nv))
    many = solver.solve(q, v, tau)
    gradients = solver.vjp(acceleration=ones)
    single = zw.inverse_dynamics(m, q.astype(np.float32), v.astype(np.float32), tau.astype(np.float32))
    derivatives = zw.forward_dynamics_derivatives(m, q, v, tau)
    for k in range(n):
        one = solver.solve(q[k], v[k], tau[k])
        close(many.acceleration[k], one.acceleration)
        close(gradients.q[k], solver.vjp(acceleration=ones[k]).q)
        close(derivatives.q[k], zw.forward_dynamics_derivatives(m, q[k], v[k], tau[k]).q)
        torque = zw.inverse_dynamics(m, q[k], v[k], tau[k])
        assert np.abs(single[k] - torque).max() < 1e-4 * (1 + np.abs(torque).max())


def test_a_spline_far_outside_is_an_overflow():
    m = arm("spline", "revolute", parameters=zw.spline_parameters(curve()))
    q = np.zeros(m.nq)
    q[1] = 1e200
    with pytest.raises(zw.ArithmeticOverflowError):
        zw.frame_pose(m, q, "c")
    q[1] = np.nan
    with pytest.raises(ValueError, match="nan"):
        zw.frame_pose(m, q, "c")


def test_splines_are_kept_in_documents_and_pickles():
    m = arm("spline", "revolute", parameters=zw.spline_parameters(curve()))
    q = np.full(m.nq, 0.4)
    for again in (pickle.loads(pickle.dumps(m)), zw.model_from_json(m.to_json()), zw.ModelBuilder(m).build()):
        assert again == m
        assert np.array_equal(zw.frame_pose(again, q, "c"), zw.frame_pose(m, q, "c"))


def test_parameters_that_are_no_spline_are_refused():
    good = zw.spline_parameters(curve())
    for at, value in [(0, 0.0), (0, -1.0), (1, 5.0), (1, np.inf), (2, 3.0), (len(good) - 1, 9.0)]:
        bad = good.copy()
        bad[at] = value
        with pytest.raises((zw.ModelError, ValueError)):
            arm("spline", "revolute", parameters=bad)
    for bad in (good[:-1], [], [1.0, 4.0]):
        with pytest.raises(zw.ModelError, match="E_PARAMETERS"):
            arm("spline", "revolute", parameters=bad)
    half = np.stack([np.eye(4), np.diag([-1.0, -1, 1, 1]), np.eye(4), np.eye(4)])
    for poses, step, match in [(half, 1, "half a turn"), (curve()[:3], 1, "3 poses"), (curve(), 0, "step"), (curve(), np.nan, "step"),
                               (curve() * 2, 1, "last row"), (np.eye(4), 1, "shape")]:
        with pytest.raises(ValueError, match=match):
            zw.spline_parameters(poses, step)
