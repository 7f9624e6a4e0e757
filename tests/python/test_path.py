# SPDX-License-Identifier: BSD-3-Clause
"""Profiles, paths and motions along them: shapes, laws with an independent answer, refusals. With ZWANG_PEERS=1 also against the
packages ruckig (profiles) and toppra (timing), where they can be imported."""
import os
import warnings

import numpy as np
import pytest
import zwang as zw
from conftest import ROOT


def knots(model, n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, (n, model.nq))


def peer(name):
    if not os.environ.get("ZWANG_PEERS"):
        pytest.skip("comparison with other libraries is opt-in: ZWANG_PEERS=1")
    return pytest.importorskip(name)


def test_profile_has_its_closed_form():
    p = zw.MotionProfile(0, 3, velocity=1, acceleration=2, jerk=10)
    assert p.duration == pytest.approx(3 / 1 + 1 / 2 + 2 / 10, abs=1e-14)
    x = p.at(np.linspace(0, p.duration, 101))
    assert x.position.shape == (101,) and np.max(x.velocity) <= 1 + 1e-15
    assert np.all(np.diff(x.position) >= 0) and x.position[-1] == 3
    assert isinstance(p.at(0.5).velocity, float)
    assert p.pieces.shape == (7, 5) and np.sum(p.pieces[:, 0]) == pytest.approx(p.duration)
    assert p.stretched(10).duration == 10
    with pytest.raises(ValueError, match="acceleration nor jerk"):
        zw.MotionProfile(0, 1, velocity=1)


def test_move_stays_within_limits_and_on_the_line(arm):
    q0, q1 = knots(arm, 2)
    motion = zw.move(arm, q0, q1, velocity=1, acceleration={"joint1": 0.5} | {f"joint{k}": 2.0 for k in range(2, 8)}, jerk=20)
    x = motion.at(np.linspace(0, motion.duration, 200))
    assert x.q.shape == x.v.shape == x.a.shape == (200, 7)
    assert np.max(np.abs(x.v)) <= 1 + 1e-14 and np.max(np.abs(x.a[:, 0])) <= 0.5 + 1e-14
    s = motion.law_at(np.linspace(0, motion.duration, 200)).position
    assert np.allclose(x.q, q0 + s[:, None] * (q1 - q0), atol=1e-14)
    t = motion.sample(0.02)
    assert t.q.shape[0] == t.states and t.time[-1] == motion.duration and np.all(t.q[-1] == q1)
    assert t.multipliers.shape == (t.states, 0)
    with pytest.raises(ValueError, match="'joint1' has no limit of acceleration"):
        zw.move(arm, q0, q1)


def test_move_keeps_the_limits_of_position(arm):
    q0, q1 = knots(arm, 2)
    q1 = q1.copy()
    q1[0] = arm.limits.upper[0] + 1
    with pytest.raises(ValueError, match="at the end joint 'joint1' is at .*, beyond its limits"):
        zw.move(arm, q0, q1, acceleration=2)
    assert np.all(zw.move(arm, q0, q1, acceleration=2, position_limits=False).at(100).q == q1)


def test_paths_are_those_of_dual_derivatives(arm):
    floating = zw.load(ROOT / "models" / "quadruped.urdf", root="floating")
    for model in (arm, floating):
        q = np.array([model.neutral() for _ in range(5)])
        rng = np.random.default_rng(1)
        q = np.array([zw.integrate(model, x, rng.uniform(-0.3, 0.3, model.nv)) for x in q])
        path = zw.ConfigurationPath.through(model, q)
        at = path.at(path.knots)
        for got, wanted in zip(at.q, q, strict=True):
            assert np.max(np.abs(zw.difference(model, got, wanted))) < 1e-12
        h, s = 1e-5, 0.37
        v = zw.difference(model, path.at(s - h).q, path.at(s + h).q) / (2 * h)
        assert np.allclose(v, path.at(s).first, atol=1e-6)
        a = (path.at(s + h).first - path.at(s - h).first) / (2 * h)
        assert np.allclose(a, path.at(s).second, atol=1e-5)
    with pytest.raises(ValueError, match="knots"):
        zw.ConfigurationPath.through(arm, knots(arm, 3), knots=[0, 2, 1])
    with pytest.raises(ValueError, match="expected \\(N, nq\\)"):
        zw.ConfigurationPath.through(arm, arm.neutral())


def test_a_frame_follows_a_line_an_arc_and_a_spline(arm):
    q0 = (arm.limits.lower + arm.limits.upper) / 2 + 0.2
    start = zw.frame_pose(arm, q0, "tool0")
    end = start.copy()
    end[:3, 3] += [-0.1, 0.15, 0.05]
    third = start.copy()
    third[:3, 3] += [0, 0.1, 0.1]
    for poses in (
        zw.PosePath.line(start, end),
        zw.PosePath.arc(start, start[:3, 3] + [-0.05, 0, 0], [0, 0, 1], 2 * np.pi),
        zw.PosePath.through([start, end, third]),
    ):
        f = zw.follow(arm, "tool0", poses, q0, tolerance=1e-6)
        assert f.status == zw.Status.ok and f.error <= 1e-6, f.reason
        s = np.linspace(poses.begin, poses.end, 50)
        wanted, got = poses.at(s), zw.frame_pose(arm, f.path.at(s).q, "tool0")
        assert wanted.shape == (50, 4, 4) and np.max(np.abs(wanted - got)) < 5e-6
    far = end.copy()
    far[0, 3] += 5
    f = zw.follow(arm, "tool0", zw.PosePath.line(start, far), q0)
    assert f.status != zw.Status.ok and f.path is None and f.reason and 0 < f.failed_at < 1, (f.status, f.failed_at)


def test_timing_keeps_torques(arm):
    path = zw.ConfigurationPath.through(arm, knots(arm, 5, 3))
    torque = np.array([150.0, 150, 100, 80, 60, 25, 15])
    r = zw.time_path(path, velocity=3, acceleration=20, torque=torque, position_limits=False)
    assert r.status == zw.Status.ok, r.reason
    assert r.utilisation <= 1 + 1e-6 and r.utilisation_between <= 1 + 1e-4 and r.binding[0][2].split()[0] in ("torque", "acceleration")
    x = r.motion.at(np.linspace(0, r.motion.duration, 500))
    tau = zw.inverse_dynamics(arm, x.q, x.v, x.a)
    assert np.max(np.abs(tau) / torque) < 1 + 1.1e-4
    slower = zw.time_path(path, velocity=3, acceleration=10, torque=torque, position_limits=False)
    assert slower.motion.duration > r.motion.duration
    weak = zw.time_path(path, torque=0.5, position_limits=False)
    assert weak.status == zw.Status.infeasible and weak.motion is None and "torque of" in weak.reason
    with pytest.raises(ValueError, match="nothing limits accelerations"):
        zw.time_path(path, torque=np.inf)


def test_followed_paths_stay_within_limits(arm):
    followed = 0
    for k in range(20):
        q0 = arm.random(seed=k)
        start = zw.frame_pose(arm, q0, "tool0")
        rng = np.random.default_rng(k)
        d = rng.normal(size=3)
        d *= 0.15 / np.linalg.norm(d)
        axis = np.cross(d, [0.3, 0.5, 0.8])
        f = zw.follow(arm, "tool0", zw.PosePath.arc(start, start[:3, 3] + d, axis / np.linalg.norm(axis), 0.8), q0)
        if f.status != zw.Status.ok:
            continue
        followed += 1
        q = f.path.at(np.linspace(0, 1, 2001)).q
        assert max((q - arm.limits.upper).max(), (arm.limits.lower - q).max()) < 1e-11, k
        assert zw.time_path(f.path, acceleration=5).status == zw.Status.ok
    assert followed > 10


def test_waypoints_that_repeat_are_passed_over(arm):
    q = knots(arm, 4)
    plain, repeated = zw.ConfigurationPath.through(arm, q), zw.ConfigurationPath.through(arm, q[[0, 0, 1, 2, 2, 2, 3, 3]])
    s = np.linspace(0, 1, 11)
    assert len(repeated.knots) == 4 and np.allclose(plain.at(s).q, repeated.at(s).q, atol=1e-13)
    poses = np.array([zw.frame_pose(arm, x, "tool0") for x in q])
    assert np.allclose(zw.PosePath.through(poses).at(s), zw.PosePath.through(poses[[0, 1, 1, 2, 3]]).at(s), atol=1e-13)
    for call in (
        lambda: zw.ConfigurationPath.through(arm, q[[1, 1, 1]]),
        lambda: zw.ConfigurationPath.through(arm, q[[1]]),
        lambda: zw.PosePath.through(poses[[1, 1]]),
        lambda: zw.PosePath.through(poses[:1]),
    ):
        with pytest.raises(ValueError, match=r"Path\.through: .*waypoint.*, expected at least 2 that differ") as error:
            call()
        assert "column" not in str(error.value)


def test_a_start_a_little_beyond_a_limit_comes_back(arm):
    q0, q1 = arm.neutral(), arm.neutral() + 0.1
    q0[2] = arm.limits.upper[2] + 1e-6
    motion = zw.move(arm, q0, q1, acceleration=2)
    assert len(motion.notes) == 1 and "'joint3' is at 2.900001, beyond its limits -2.9 and 2.9 by 1e-06" in motion.notes[0]
    timing = zw.time_path(motion.path, acceleration=2)
    assert timing.status == zw.Status.ok and timing.notes[0] == motion.notes[0]
    q0[2] = arm.limits.upper[2] + 1e-4
    with pytest.raises(ValueError, match="by 0.0001; position_limits"):
        zw.move(arm, q0, q1, acceleration=2)
    p = zw.MotionProfile(0, 1, velocity=1, acceleration=2, jerk=10, start_velocity=1 + 1e-6)
    assert p.at(p.duration / 2).velocity <= 1 and p.notes == ["velocity at the start is beyond its limit by 1e-06; the motion brings it back first"]
    assert zw.MotionProfile(0, 1, velocity=1, acceleration=2).notes == []
    with pytest.raises(ValueError, match="velocity at the start is 1.0001, expected at most 1"):
        zw.MotionProfile(0, 1, velocity=1, acceleration=2, start_velocity=1.0001)


@pytest.mark.parametrize("friction", [False, True])
def test_timing_and_inverse_dynamics_count_the_same_effects(friction):
    b = zw.ModelBuilder("p").add_link("w").add_link("bar", mass=1, centre=(0.2, 0, 0), inertia=np.diag([1e-4, 0.02, 0.02]))
    b.add_joint("j", "revolute", "w", "bar", axis=(0, 0, 1), lower=-4, upper=4, velocity=50, effort=10, friction=6.0)
    bar = b.build()
    effects = zw.JointEffects(friction=friction)
    t = zw.time_path(zw.ConfigurationPath.through(bar, np.array([[0.0], [1.0]])), torque=10, joint_effects=effects)
    x = t.motion.sample(0.001)
    tau = zw.inverse_dynamics(bar, x.q, x.v, x.acceleration, joint_effects=effects)
    assert t.status == zw.Status.ok and np.abs(tau).max() == pytest.approx(10, rel=1e-6)
    assert [("friction" in note) for note in t.notes] == ([] if friction else [True])


def test_limits_hold_between_the_points_of_the_grid(arm):
    torque = np.array([150.0, 150, 100, 80, 60, 25, 15])
    for seed in range(6):
        path = zw.ConfigurationPath.through(arm, knots(arm, 5, seed))
        t = zw.time_path(path, velocity=3, acceleration=20, torque=torque, position_limits=False, grid=20)
        assert t.status == zw.Status.ok and t.utilisation_between <= 1 + 1e-4, t.reason
        x = t.motion.at(np.linspace(0, t.motion.duration, 4001)[1:-1])
        tau = zw.inverse_dynamics(arm, x.q, x.v, x.a)
        use = max(np.max(np.abs(x.v)) / 3, np.max(np.abs(x.a)) / 20, np.max(np.abs(tau) / torque))
        assert use < 1 + 1.1e-4
    few = zw.time_path(path, velocity=3, acceleration=20, torque=np.inf, position_limits=False, grid=8, most_grid=8)
    assert few.status == zw.Status.not_converged and "between points of the grid" in few.reason and few.motion is not None


def test_trajectories_become_tables_and_pictures_with_torques(arm, tmp_path):
    q0, q1 = knots(arm, 2)
    t = zw.move(arm, q0, q1, acceleration=2).sample(0.05)
    assert np.allclose(t.motor_torque, zw.inverse_dynamics(arm, t.q, t.v, t.acceleration), rtol=0, atol=1e-12)
    simulated = zw.simulate(arm, zw.ConstraintSet(arm), q0, tau=np.arange(7.0), time=0.02, dt=1e-3)
    assert np.array_equal(simulated.motor_torque, np.tile(np.arange(7.0), (simulated.states, 1)))
    held = zw.ConstraintSet(arm)
    held.add_frame("tool", "tool0", "all", role="driver")
    driven = zw.simulate(arm, held, q0, time=0.01, dt=1e-3, integrator="rk4")
    x = zw.Solver(arm, held).solve(driven.q[3], driven.v[3])
    assert np.allclose(driven.motor_torque[3], x.motor_torque, rtol=1e-9, atol=1e-9 * np.abs(x.motor_torque).max())
    for motion in (t, driven):
        rows = [line.split(",") for line in motion.to_csv().splitlines()]
        assert len(rows) == motion.states + 1 and all(len(row) == len(rows[0]) for row in rows)
        numbers = np.array(rows[1:], dtype=float)
        assert np.array_equal(numbers[:, 0], motion.time) and np.array_equal(numbers[:, 1:8], motion.q)
        first = rows[0].index("tau:joint1")
        assert np.array_equal(numbers[:, first : first + 7], motion.motor_torque)
    assert t.to_csv(tmp_path / "t.csv") is None and (tmp_path / "t.csv").read_text() == t.to_csv()
    several = zw.simulate(arm, zw.ConstraintSet(arm), np.array([q0, q1]), time=0.01, dt=1e-3)
    table = several.to_csv().splitlines()
    assert table[0].startswith("motion,time,q:joint1") and len(table) == 1 + several.states.sum() and table[-1].startswith("1,0.01,")
    pytest.importorskip("matplotlib")
    assert "motor torque [N m, N]" in [axis.get_ylabel() for axis in t.plot().axes]


def test_degrees_are_asked_about(arm):
    q = arm.neutral()
    q[3] = 90.0
    asked = "argument 'q(0|1)?': joint 'joint4' is at 90 rad, which are 14.3 turns: are these degrees"
    with pytest.warns(UserWarning, match=asked):
        zw.frame_pose(arm, q, "tool0")
    with pytest.warns(UserWarning, match=asked), pytest.raises(ValueError, match="beyond its limits"):
        zw.move(arm, arm.neutral(), q, acceleration=2)
    with pytest.warns(UserWarning, match=asked):
        zw.ConfigurationPath.through(arm, np.array([arm.neutral(), q]))
    with pytest.warns(UserWarning, match=asked):
        zw.inverse_dynamics(arm, np.array([arm.neutral(), q]), np.zeros((2, 7)), np.zeros((2, 7)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        q[3] = 20.0
        zw.frame_pose(arm, q, "tool0")
        cart = zw.load(ROOT / "models" / "quadruped.urdf", root="floating")
        far = cart.neutral()
        far[0] = 1000.0
        zw.mass_matrix(cart, far)


def test_profiles_take_the_time_of_ruckig():
    ruckig = peer("ruckig")
    rng = np.random.default_rng(0)
    wanted, worst, refused = 5000, 0.0, 0
    for _ in range(wanted):
        v, a, j = rng.uniform(0.3, 3), rng.uniform(0.3, 3), rng.uniform(0.3, 8)
        x0, x1 = rng.uniform(-3, 3, 2)
        v0, a0, v1 = rng.uniform(-v, v), rng.uniform(-a, a), rng.uniform(-v, v)
        if abs(v0 + a0 * abs(a0) / (2 * j)) > v:
            continue
        inp = ruckig.InputParameter(1)
        inp.current_position, inp.current_velocity, inp.current_acceleration = [x0], [v0], [a0]
        inp.target_position, inp.target_velocity, inp.target_acceleration = [x1], [v1], [0.0]
        inp.max_velocity, inp.max_acceleration, inp.max_jerk = [v], [a], [j]
        trajectory = ruckig.Trajectory(1)
        if ruckig.Ruckig(1).calculate(inp, trajectory) != ruckig.Result.Working:
            refused += 1
            continue
        p = zw.MotionProfile(x0, x1, velocity=v, acceleration=a, jerk=j, start_velocity=v0, start_acceleration=a0, end_velocity=v1)
        worst = max(worst, abs(p.duration - trajectory.duration) / trajectory.duration)
    print(f"{wanted} profiles, ruckig refused {refused}, worst relative difference of durations {worst:.1e}")
    assert worst < 1e-7 and refused < wanted // 100


def test_timing_takes_the_time_of_toppra(arm):
    ta = peer("toppra")
    ta.setup_logging("WARNING")
    for seed in range(5):
        q = knots(arm, 5, seed)
        s = np.linspace(0, 1, 5)
        spline = ta.SplineInterpolator(s, q, bc_type="natural")
        limits = [
            ta.constraint.JointVelocityConstraint(np.array([[-2.0, 2.0]] * 7)),
            ta.constraint.JointAccelerationConstraint(
                np.array([[-8.0, 8.0]] * 7), discretization_scheme=ta.constraint.DiscretizationType.Interpolation
            ),
        ]
        theirs = ta.algorithm.TOPPRA(limits, spline, gridpoints=np.linspace(0, 1, 401)).compute_trajectory()
        path = zw.ConfigurationPath.through(arm, q, s)
        ours = zw.time_path(path, velocity=2, acceleration=8, torque=np.inf, grid=400, position_limits=False)
        assert ours.motion.duration == pytest.approx(theirs.duration, rel=2e-3)
