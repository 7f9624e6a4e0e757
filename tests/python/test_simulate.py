# SPDX-License-Identifier: BSD-3-Clause
"""simulate: closed forms, functions of Python, events, many motions, pictures."""
import math
import pathlib
import sys

import numpy as np
import pytest

import zwang as zw
from conftest import ctrl_c_of_another_thread

MODELS = pathlib.Path(__file__).parents[2] / "models"


def lift():
    """A body of 2 kg on a vertical rail."""
    return zw.loads("""<robot name="lift"><link name="base"/><link name="box"><inertial><mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="rail" type="prismatic"><parent link="base"/><child link="box"/><axis xyz="0 0 1"/>
      <limit lower="-100" upper="100" effort="1e3" velocity="1e3"/></joint></robot>""")


def four_bar():
    bar = zw.load(MODELS / "four_bar.urdf")
    pin = zw.ConstraintSet(bar)
    pin.add_loop("pin", frames=("rod_end", "crank_pin"), rows={"joint": "hinge", "axis": [0, 0, 1]})
    return bar, pin


@pytest.mark.parametrize("integrator", zw.integrators())
def test_feedback_has_its_closed_form(integrator):
    m = lift()
    t = zw.simulate(m, None, [0.3], tau=lambda t, q, v: -18 * (q - 1), time=0.5, dt=1e-3, integrator=integrator)
    rest = 1 - 9.81 / 9
    right = rest + (0.3 - rest) * np.cos(3 * t.time)
    assert t.status == "ok" and t.states == 501 and t.time[-1] == 0.5
    # Semi-implicit Euler is of order 1, the variational one of order 2.
    assert np.abs(t.q[:, 0] - right).max() < {"semi_implicit": 5e-3, "variational": 1e-6, "dormand_prince": 1e-8}.get(integrator, 1e-11)
    assert t.q.shape == (501, 1) and t.multipliers.shape == (501, 0) and t.acceleration.shape == (501, 1)
    assert t.names == ["rail"] and "501 states" in repr(t)


def test_agrees_with_a_rollout_and_takes_wrenches():
    arm = zw.load(MODELS / "arm7.urdf")
    q, v, tau = arm.random(seed=3), 0.1 * np.ones(arm.nv), np.ones(arm.nv)
    wrench = {"tool0": [1, 2, 3, 0.1, 0.2, 0.3]}
    t = zw.simulate(arm, None, q, v, tau, time=0.01, external=wrench, integrator="semi_implicit")
    r = zw.rollout(arm, q, v, tau, steps=10, dt=1e-3, external=wrench)
    np.testing.assert_allclose(t.q[-1], r.q, atol=1e-12)
    np.testing.assert_allclose(t.v[-1], r.v, atol=1e-10)
    assert t.energy[0] == pytest.approx(zw.mechanical_energy(arm, q, v), abs=1e-12)


def test_prescribed_coordinates_may_be_functions():
    arm = zw.load(MODELS / "arm7.urdf")
    name, held = arm.joint_names[1], arm.joint_names[0]
    t = zw.simulate(arm, None, arm.neutral(), time=0.5, integrator="rk4", dt=1e-2,
                    prescribed={held: 0.0, name: lambda t, q, v: 6 * t})
    np.testing.assert_allclose(t.q[:, 1], t.time**3, atol=1e-12)
    assert not t.q[:, 0].any()


@pytest.mark.parametrize("integrator", zw.integrators())
def test_projection_keeps_targets_that_move(integrator):
    m = lift()
    rows = zw.ConstraintSet(m)
    rows.add_joint("lift", coordinates=["rail"], target=[0])
    t = zw.simulate(m, rows, [0.0], time=1, dt=0.01, integrator=integrator, keep="projection",
                    targets=lambda t: {"lift": {"target": [math.sin(t)], "target_velocity": [math.cos(t)], "beta": [-math.sin(t)]}})
    np.testing.assert_allclose(t.q[:, 0], np.sin(t.time), atol=1e-12)
    np.testing.assert_allclose(t.v[:, 0], np.cos(t.time), atol=1e-12)
    np.testing.assert_allclose(t.multipliers[:, 0], 2 * (9.81 - np.sin(t.time)), atol=1e-10)
    assert rows["lift"].target == [0]  # the set is as it was


def test_events_switch_and_bounce():
    m = lift()
    floor = zw.ConstraintSet(m)
    floor.add_frame("floor", frame="box", rows="linear.z")
    floor["floor"].active = False
    fall = math.sqrt(2 / 9.81)
    for when in ({"frame": "box"}, {"coordinate": "rail"}, lambda t, q, v: q[0]):
        t = zw.simulate(m, floor, [1.0], time=1.2, dt=0.07, integrator="rk4",
                        events=[{"name": "bounce", "when": when, "bounce": "floor", "restitution": {"floor": 0.5}}])
        assert t.status == "ok", t.reason
        first = t.events[0]
        assert first.name == "bounce" and first.time == pytest.approx(fall, abs=1e-12)
        assert first.impulse[0] == pytest.approx(3 * 9.81 * fall, abs=1e-10)
        assert t.time[first.state] == t.time[first.state - 1]
        assert t.v[first.state, 0] == pytest.approx(-0.5 * t.v[first.state - 1, 0])
    t = zw.simulate(m, floor, [1.0], time=5, integrator="rk4", tau=lambda t, q, v: [10 * t],
                    events=[{"name": "land", "when": {"frame": "box"}, "on": ["floor"]},
                            {"name": "leave", "when": {"multiplier": "floor:linear.z"}, "off": "floor"},
                            {"name": "high", "when": {"coordinate": "rail", "value": 0.3}, "crossing": "rising", "stop": True}])
    assert [e.name for e in t.events] == ["land", "leave", "high"]
    assert t.events[1].time == pytest.approx(1.962, abs=1e-9) and t.events[1].impulse.size == 0


def test_many_motions_are_single_ones_on_any_number_of_threads():
    bar, pin = four_bar()
    q = zw.assemble(bar, pin, np.linspace(0, 0.4, 7)[:, None] * np.ones(3), fixed=["crank_joint"]).q
    one = [zw.simulate(bar, pin, x, time=0.02, keep="projection", integrator="rk4") for x in q]
    for threads in (1, 3):
        zw.set_threads(threads)
        try:
            many = zw.simulate(bar, pin, q, time=0.02, keep="projection", integrator="rk4")
        finally:
            zw.set_threads(0)
        assert many.q.shape == (7, 21, 3) and many.error.max() < 1e-12
        for k in range(7):
            np.testing.assert_array_equal(many.q[k], one[k].q)
            np.testing.assert_array_equal(many.multipliers[k], one[k].multipliers)
    damped = zw.simulate(bar, pin, q, tau=lambda t, q, v: -0.01 * v, time=0.02, keep="projection")
    assert damped.q.shape == (7, 21, 3) and (damped.status == 0).all()
    assert "7 motions" in repr(damped)


def test_a_motion_that_ends_early_says_why():
    m = lift()
    rows = zw.ConstraintSet(m)
    rows.add_joint("up", coordinates=["rail"], beta=[1])
    rows.add_joint("down", coordinates=["rail"], beta=[-1])
    t = zw.simulate(m, rows, [0.0], time=1, dt=0.01,
                    targets=lambda t: {"down": {"active": t > 0.305}})
    assert t.status == "infeasible" and "down" in t.reason
    assert t.time[-1] == pytest.approx(0.3) and np.isfinite(t.q).all()
    both = zw.simulate(m, None, np.array([[0.0], [1.0]]), tau=lambda t, q, v: [np.nan if q[0] < -0.5 else 0], time=1)
    assert list(both.status) == [int(zw.Status.non_finite_input)] * 2
    assert np.isnan(both.q[0, both.states[0] :]).all() and np.isfinite(both.q[1, : both.states[1]]).all()


@pytest.mark.parametrize("wrong, words", [
    ({"integrator": "rk5"}, "rk4"),
    ({"keep": "project"}, "projection"),
    ({"dt": 0}, "dt"),
    ({"tau": [1, 2]}, "tau"),
    ({"tau": lambda t, q, v: [1, 2]}, "tau"),
    ({"targets": 3}, "targets"),
    ({"targets": lambda t: {"flor": {}}}, "floor"),
    ({"targets": lambda t: {"floor": {"targt": [0]}}}, "target"),
    ({"prescribed": {"rial": 0}}, "rail"),
    ({"events": [{"name": "e", "when": {"frame": "bx"}, "stop": True}]}, "box"),
    ({"events": [{"name": "e", "wen": 3}]}, "when"),
    ({"events": [{"name": "e", "when": {"frame": "box"}}]}, "does nothing"),
    ({"integrator": "variational"}, "floor"),
])
def test_refusals_name_what_is_wrong(wrong, words):
    m = lift()
    floor = zw.ConstraintSet(m)
    floor.add_frame("floor", frame="box", rows="linear.z")
    with pytest.raises(ValueError, match=words):
        zw.simulate(m, floor, [0.0], **wrong)


def test_exceptions_and_interrupts_pass_through():
    m = lift()

    def fails(t, q, v):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        zw.simulate(m, None, [0.0], tau=fails)
    seen = []
    zw.simulate(m, None, [0.0], time=0.4, dt=1e-3, every=100000, progress=zw.ProgressEvery(0, lambda *at: seen.append(at)))
    assert [done for done, _ in seen] == list(range(1, 401)) and {total for _, total in seen} == {400}
    with pytest.raises(KeyboardInterrupt), ctrl_c_of_another_thread():
        zw.simulate(m, None, [0.0], time=1e9, dt=1e-3, every=10**9)  # weeks


def test_plot_writes_a_picture(tmp_path):
    bar, pin = four_bar()
    t = zw.simulate(bar, pin, bar.neutral(), time=0.05)
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        with pytest.raises(ImportError, match=r"pip install zwang\[plot\]"):
            t.plot(tmp_path / "a.png")
        pytest.skip("matplotlib is not installed")
    figure = t.plot(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    assert len(figure.axes) == 5
    assert "matplotlib.pyplot" not in sys.modules  # no window system is touched
    with pytest.raises(ValueError, match="motions"):
        zw.simulate(bar, pin, np.zeros((2, 3)), time=0.01).plot()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_rollout_with_feedback_is_its_steps(dtype):
    arm = zw.load(MODELS / "arm7.urdf")
    r = np.random.default_rng(1)
    q, v = r.uniform(-1, 1, (5, arm.nq)).astype(dtype), r.uniform(-1, 1, (5, arm.nv)).astype(dtype)
    seen = []

    def law(t, q, v):
        seen.append(t)
        return (-2 * q - 0.5 * v).astype(dtype)

    end = zw.rollout(arm, q, v, law, steps=6, dt=1e-3)
    assert seen == [k * 1e-3 for k in range(6)] and end.q.dtype == dtype
    a, b = q, v
    for _ in range(6):
        step = zw.rollout(arm, a, b, (-2 * a - 0.5 * b).astype(dtype), steps=1, dt=1e-3)
        a, b = step.q, step.v
    np.testing.assert_array_equal(end.q, a)
    path = zw.rollout(arm, q, v, law, steps=6, dt=1e-3, trajectory=True)
    assert path.q.shape == (5, 6, arm.nq)
    np.testing.assert_array_equal(path.q[:, -1], end.q)
    out = (np.empty_like(q), np.empty_like(v))
    assert zw.rollout(arm, q, v, law, steps=6, dt=1e-3, out=out).q is out[0]
    np.testing.assert_array_equal(out[0], end.q)
    with pytest.raises(ValueError, match="out"):
        zw.rollout(arm, q, v, law, steps=6, dt=1e-3, out=(np.empty((4, 7), dtype), np.empty_like(v)))
    with pytest.raises(ValueError, match="tau"):
        zw.rollout(arm, q, v, lambda t, q, v: [1, 2], steps=2, dt=1e-3)


def test_a_rollout_with_feedback_keeps_the_first_status():
    arm = zw.load(MODELS / "arm7.urdf")
    q = np.zeros((3, arm.nq))

    def law(t, q, v):
        tau = np.zeros((3, arm.nv))
        if t > 1.5e-3:
            tau[1] = 1e308  # beyond the range of double in the next step
        return tau

    r = zw.rollout(arm, q, None, law, steps=6, dt=1e-3, trajectory=True)
    one = zw.rollout(arm, q[0], tau=lambda t, q, v: np.zeros(arm.nv), steps=6, dt=1e-3)
    assert list(r.status) == [0, int(zw.Status.overflow), 0] and one.status == 0
    assert np.isnan(r.q[1, -1]).all() and np.isfinite(r.q[1, 1]).all()
    np.testing.assert_allclose(r.q[0, -1], one.q, atol=1e-12)
    solver = zw.Solver(arm, zw.ConstraintSet(arm))
    np.testing.assert_allclose(solver.rollout(q[0], tau=lambda t, q, v: np.zeros(arm.nv), steps=6, dt=1e-3).q, one.q, atol=1e-12)


def built_four_bar():
    """Crank, coupler and rocker of 0.2, 0.5 and 0.4 m over 0.5 m."""
    b = zw.ModelBuilder("four bar")
    b.add_link("ground")
    for name, mass, length in (("crank", 0.5, 0.2), ("coupler", 1.0, 0.5), ("rocker", 0.8, 0.4)):
        turning = mass * length**2 / 12
        b.add_link(name, mass=mass, centre=(length / 2, 0, 0), inertia=np.diag([1e-5, turning, turning]))
    pose = np.eye(4)
    b.add_joint("a", "continuous", "ground", "crank", pose, axis=(0, 1, 0))
    for name, parent, child, x in (("b", "crank", "coupler", 0.2), ("c", "ground", "rocker", 0.5)):
        b.add_joint(name, "continuous", parent, child, np.block([[np.eye(3), np.array([[x], [0], [0]])], [np.zeros(3), 1]]), axis=(0, 1, 0))
    for name, link, x in (("end of coupler", "coupler", 0.5), ("end of rocker", "rocker", 0.4)):
        b.add_frame(name, link, np.block([[np.eye(3), np.array([[x], [0], [0]])], [np.zeros(3), 1]]))
    bar = b.build()
    pin = zw.ConstraintSet(bar)
    pin.add_loop("pin", ("end of coupler", "end of rocker"), rows={"joint": "hinge", "axis": [0, 1, 0]})
    return bar, pin, zw.assemble(bar, pin, [-1.0, 0, 0]).q


def test_defaults_keep_loops_and_energy():
    five = zw.load(MODELS / "five_bar.urdf", loops=True)
    loops = zw.ConstraintSet(five)
    loops.add_loops()
    for model, rows, q in ((five, loops, five.neutral()), built_four_bar()):
        t = zw.simulate(model, rows, q, time=10, joint_effects=zw.JointEffects(damping=False))
        assert t.status == "ok" and t.states == 10001, t.reason
        assert t.error.max() < 1e-9
        kinetic = max(0.5 * v @ zw.mass_matrix(model, q) @ v for q, v in zip(np.remainder(t.q[::10], 2 * np.pi), t.v[::10]))
        assert t.energy_drift == np.abs(t.energy - t.energy[0]).max() <= 1e-6 * kinetic


def test_what_is_left_is_said():
    bar, pin, q = built_four_bar()
    t = zw.simulate(bar, pin, q, time=3, dt=4e-3, integrator="semi_implicit", keep="stabilisation")
    assert t.status == "drifted" and "pin:linear" in t.reason and t.states == 751
    assert zw.simulate(bar, pin, q, time=3, dt=4e-3, integrator="semi_implicit", keep="stabilisation", drift_tolerance=9).status == "ok"
    away = q + [0.1, 0, 0]
    t = zw.simulate(bar, pin, away, time=0.01)
    assert t.status == "ok" and t.start_distance > 1e-3 and "the start was moved by" in repr(t)
    many = zw.simulate(bar, pin, np.array([q, away]), time=0.01)
    assert many.start_distance[0] < 1e-9 and many.start_distance[1] == t.start_distance and many.energy_drift.max() < 1e-6
