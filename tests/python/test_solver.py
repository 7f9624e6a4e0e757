# SPDX-License-Identifier: BSD-3-Clause
"""Constrained dynamics from Python: the equation of motion, changes between solves, reports, snapshots, batches."""
import copy
import gc
import pickle

import numpy as np
import pytest
import zwang as zw
from conftest import State, close, random_robots


def held_arm(arm, **settings):
    cs = zw.ConstraintSet(arm)
    cs.add_frame("tool", frame="tool0", rows=["linear.x", "linear.y", "angular"], beta=[0.3, 0, 0, 0.1, 0], role="driver")
    return cs, zw.Solver(arm, cs, **settings)


def test_a_solution_satisfies_gauss(arm):
    cs, solver = held_arm(arm)
    s = State(arm)
    x = solver.solve(s.q, s.v, s.tau)
    M, h = zw.mass_matrix(arm, s.q), zw.bias_forces(arm, s.q, s.v)
    K = [0, 1, 3, 4, 5]
    J, Jdot = zw.jacobian(arm, s.q, "tool0")[K], zw.jacobian_dot(arm, s.q, s.v, "tool0")[K]
    scale = np.linalg.cond(M) * np.abs(x.multipliers).max()
    close(M @ x.acceleration + h, s.tau + J.T @ x.multipliers, scale=scale)
    close(J @ x.acceleration + Jdot @ s.v, cs["tool"].beta, scale=np.abs(x.acceleration).max() * 10)
    close(x.motor_torque, s.tau + J.T @ x.multipliers, scale=scale)
    assert np.array_equal(x.reaction, 0 * s.tau)
    close(zw.forward_dynamics(arm, s.q, s.v, x.motor_torque), x.acceleration, scale=scale)
    free = x.acceleration - zw.forward_dynamics(arm, s.q, s.v, s.tau)
    close(x.zwang, 0.5 * free @ M @ free, scale=scale)
    assert x.report.status == "ok" and (x.report.rank, x.report.rows) == (5, 5) and x.report.residual < 1e-9
    close(solver.operational_inertia(), np.linalg.inv(J @ np.linalg.solve(M, J.T)), scale=scale * np.linalg.cond(M))
    N = solver.nullspace_projector()
    close(J @ N, 0 * J, scale=scale * np.linalg.cond(M))
    close(J @ solver.dynamic_pseudo_inverse(), np.eye(5), scale=scale * np.linalg.cond(M))
    assert x["tool"].rows[2] == "tool:angular.x" and x["tool"].frame == "tool0"
    close(x["tool"].wrench, np.array([1, 1, 0, 1, 1, 1]) * np.insert(x.multipliers, 2, 0))
    for name, w in zw.joint_wrenches(arm, s.q, s.v, x.acceleration).items():
        close(x.joint_wrenches[name], w, scale=scale)


def test_four_feet_carry_the_robot(dog):
    cs = zw.ConstraintSet(dog)
    feet = ["LF_foot", "RF_foot", "LH_foot", "RH_foot"]
    for foot in feet:
        cs.add_contact(foot, frame=foot, normal=[0, 0, 1])
    q, v = dog.neutral(), dog.zero()
    still = dict.fromkeys(dog.names[6:], 0.0)
    x = zw.Solver(dog, cs).solve(q, v, prescribed=still)
    close(sum(x[f].wrench[2] for f in feet), dog.mass * 9.81)
    close(x.acceleration, 0 * v, scale=100)
    assert x.report.rank == 6 and len(x.report.redundant) == 6 and len(x.report.dependencies) == 6
    for d in x.report.dependencies:
        assert not d.conflicting and all(t.row.split(":")[0] in feet for t in d.terms)
    again = zw.forward_dynamics(dog, q, v, x.motor_torque, external={f: x[f].wrench for f in feet})
    close(again, x.acceleration, scale=1e4)
    assert "Redundant" in x.report.explain() or "redundant" in x.report.explain()


def test_constraints_change_between_solves(arm):
    cs, solver = held_arm(arm)
    s, tool = State(arm), cs["tool"]
    first = solver.solve(s.q, s.v)
    kept = first.acceleration.copy()
    tool.beta = [0, 0, 0, 0, 1]
    tool.role = "physical"
    second = solver.solve(s.q, s.v)
    assert np.array_equal(first.acceleration, kept) and not np.array_equal(second.acceleration, kept)  # a snapshot
    assert np.array_equal(second.motor_torque, 0 * s.v) and np.abs(second.reaction).max() > 0
    tool.active = False
    free = solver.solve(s.q, s.v)
    close(free.acceleration, zw.forward_dynamics(arm, s.q, s.v, 0 * s.v))
    assert free.report.rows == 0 and np.array_equal(free["tool"].multipliers, np.zeros(5))
    tool.active, tool.beta, tool.role = True, 0.25, "driver"
    assert np.array_equal(tool.beta, np.full(5, 0.25)) and tool.active and tool.role == "driver"
    with pytest.raises(ValueError):
        tool.beta[0] = 1  # a copy: writing into it would change nothing
    for attribute, wrong in [("beta", [1, 2]), ("beta", [np.nan] * 5), ("beta", "x"), ("role", "driven"), ("policy", "hardd"),
                             ("acceleration", "x"), ("compensate", ["wind"]), ("weight", [1, 2])]:
        with pytest.raises(ValueError):
            setattr(tool, attribute, wrong)
    tool.compensate = ["gravity", "tau"]
    assert tool.compensate == ["gravity", "tau"]
    tool.priority, tool.acceleration, tool.weight = 2, "spatial", 3.0
    assert tool.priority == 2 and tool.acceleration == "spatial" and np.array_equal(tool.weight, np.full(5, 3.0))


@pytest.mark.filterwarnings("ignore:nanobind")
def test_out_fills_an_earlier_solution(arm):
    _, solver = held_arm(arm)
    s, other = State(arm), State(arm, 9)
    x = solver.solve(s.q, s.v)
    arrays = [x.acceleration, x.multipliers, x["tool"].wrench]
    y = solver.solve(other.q, other.v, other.tau, out=x)
    assert y is x and x.acceleration is arrays[0]
    fresh = solver.solve(other.q, other.v, other.tau)
    assert np.array_equal(arrays[0], fresh.acceleration) and np.array_equal(arrays[2], fresh["tool"].wrench)
    _, another = held_arm(arm)
    for wrong in (another.solve(s.q), np.zeros(7), 3, zw.Solution.__new__(zw.Solution)):
        with pytest.raises((ValueError, TypeError)):
            solver.solve(s.q, out=wrong)
    with pytest.raises(ValueError, match="shares memory"):
        solver.solve(s.q, x.acceleration, out=x)


def test_a_batch_is_a_loop_over_states(arm):
    _, solver = held_arm(arm)
    states = [State(arm, k) for k in range(5)]
    q, v, tau = (np.stack([getattr(s, name) for s in states]) for name in ("q", "v", "tau"))
    push = {"link3": np.arange(30.0).reshape(5, 6)}
    x = solver.solve(q, v, tau, external=push, prescribed={"joint2": 0.5})
    assert x.acceleration.shape == (5, 7) and x["tool"].wrench.shape == (5, 6) and x.zwang.shape == (5,)
    assert len(x.report) == len(x.reports) == 5 and x.report[3].status == "ok"
    for k, s in enumerate(states):
        one = solver.solve(s.q, s.v, s.tau, external={"link3": push["link3"][k]}, prescribed={"joint2": 0.5})
        for name in ("acceleration", "multipliers", "motor_torque", "reaction", "residual", "zwang"):
            close(getattr(x, name)[k], getattr(one, name), scale=np.abs(one.motor_torque).max(), k=1e5)  # J M^-1 J^T is solved
        assert np.array_equal(x["tool"].multipliers[k], x.multipliers[k])
    many = solver.solve(np.concatenate([q] * 40), tau[0])
    assert many.acceleration.shape == (200, 7) and np.array_equal(many.acceleration[3], many.acceleration[198])


NUMBERS = ("acceleration", "multipliers", "motor_torque", "reaction", "articulated_constraint_torque", "residual", "zwang",
           "position_error", "velocity_error", "status")


def everything(s):
    """All that a solution says, as text and arrays."""
    names = ["tool", "rod", "twice"]
    arrays = [getattr(s, n) for n in NUMBERS] + [getattr(s[n], p) for n in names for p in ("multipliers", "wrench", "residual", "power")]
    arrays += [s.group("all").wrench, s.group("all", about=[1, 2, 3]).wrench, s.group("all").power, *s.joint_wrenches.values()]
    texts = [repr(s), list(s.joint_wrenches), s.group("all").members] + [[s[n].name, s[n].frame, s[n].in_, s[n].rows] for n in names]
    for r in s.reports:
        texts.append([repr(r), r.explain(), r.status, r.rows, r.rank, r.iterations, r.tolerance, r.residual, r.method, r.singularity, r.place,
                      r.redundant, r.infeasible, r.given_up, r.dependencies, r.warnings, r.singular_joint])
    return [np.array(x) for x in arrays], texts


def alike(one, two):
    return all(np.array_equal(x, y, equal_nan=True) and x.dtype == y.dtype for x, y in zip(one[0], two[0], strict=True)) and one[1] == two[1]


@pytest.mark.parametrize("many", [False, True, "float32"])
@pytest.mark.parametrize("through", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_a_copied_solution_keeps_its_numbers_without_a_solver(arm, through, many):
    cs = zw.ConstraintSet(arm)
    cs.add_frame("tool", "tool0", "linear", role="driver")
    cs.add_distance("rod", ("link1", "tool0"), 0.7)
    cs.add_frame("twice", "tool0", ["linear.x"], beta=[0.5])  # contradicts the first
    cs.add_group("all", cs.names)
    solver = zw.Solver(arm, cs)
    x = [np.stack([getattr(State(arm, k), name) for k in range(4)]) for name in ("q", "v", "tau")]
    x = [e.astype(np.float32) for e in x] if many == "float32" else x if many else [e[0] for e in x]
    s = solver.solve(*x)
    two = through(s)
    first = everything(two)
    assert type(two) is zw.Solution and alike(first, everything(s)) and any(r.dependencies and r.given_up for r in s.reports)
    solver.solve(*(0.5 * e for e in x), out=s)
    assert alike(first, everything(two)) and not alike(first, everything(s))
    two.acceleration[...] = 7
    assert not (s.acceleration == 7).any()
    for wrong in (two, through(two)):
        with pytest.raises(ValueError, match="E_OUT Solver.solve: argument 'out' is a copy of a solution"):
            solver.solve(*x, out=wrong)
    with pytest.raises(ValueError, match="E_OUT Solver.solve: argument 'out' is a copy of a solution"):
        solver.resolve(out=two)
    report = s.reports[-1]
    again = through(report)
    text = report.explain()
    del cs, solver, s, report, x
    gc.collect()
    assert again.explain() == text and two["rod"].multipliers.shape[-1] == 1


def test_a_pickle_of_a_solution_is_not_believed(arm):
    cs = zw.ConstraintSet(arm)
    cs.add_frame("tool", "tool0", "linear")
    cs.add_frame("twice", "tool0", ["linear.x"], beta=[0.5])
    s = zw.Solver(arm, cs).solve(arm.random(1))
    for thing in (s, s.report):
        state = thing.__getstate__()
        type(thing).__new__(type(thing)).__setstate__(state)
        wrong = [(), state[:-1], (*state, 1), list(state), None]
        for k, (name, value) in enumerate(state):
            for other in (None, "x", -7, 2**70, [()], object()):
                wrong.append((*state[:k], other, *state[k + 1:]))
                if thing is s and not isinstance(value, np.ndarray):
                    wrong.append((*state[:k], (name, other), *state[k + 1:]))
        for w in wrong:
            with pytest.raises((ValueError, TypeError)):
                type(thing).__new__(type(thing)).__setstate__(w)
    state = s.__getstate__()
    for k, (name, array) in enumerate(state):
        if not isinstance(array, np.ndarray):
            continue
        for other in (np.zeros((2, 2)), np.zeros((3, 2, 1)), "x", object()):
            with pytest.raises((ValueError, TypeError)):
                zw.Solution.__new__(zw.Solution).__setstate__((*state[:k], (name, other), *state[k + 1:]))
    by_position = (((), ()), (), (), -1, tuple(x for _, x in state[2:-2]), None, ())
    with pytest.raises(ValueError, match="E_PICKLE Solution: another version of zwang has written this"):
        zw.Solution.__new__(zw.Solution).__setstate__(by_position)
    fields = dict(s.report.__getstate__())
    assert len(fields["dependencies"]) == 1 and len(fields["terms"]) == 2

    def report(**changed):
        return tuple((name, changed.get(name, value)) for name, value in fields.items())

    def dependency(first, size):
        one = dict(fields["dependencies"][0], first=first, size=size)
        return {"dependencies": (tuple(one.items()),)}

    for right in ({}, dependency(0, 2), dependency(1, 1), {"rank": 2}, {"method": "dense_cod"}):
        zw.SolveReport.__new__(zw.SolveReport).__setstate__(report(**right))
    for wrong in (dependency(0, 99), dependency(-1, 1), dependency(2**31 - 1, 2), dependency(1, 2), {"rank": -1},
                  {"rank": "x"}, {"status": 99}, {"method": "no such"}, {"redundant": (7,)}, {"redundant": "x"},
                  {"place": ()}, {"singular_joint": "text"}):
        with pytest.raises(ValueError, match="E_PICKLE SolveReport"):
            zw.SolveReport.__new__(zw.SolveReport).__setstate__(report(**wrong))
    renamed = (("was", 0), *s.report.__getstate__()[1:])
    with pytest.raises(ValueError, match="another version of zwang has written this: there is no 'status'"):
        zw.SolveReport.__new__(zw.SolveReport).__setstate__(renamed)


def test_a_report_with_any_warning_comes_back(arm):
    cs = zw.ConstraintSet(arm)
    cs.add_frame("tool", "tool0", "linear", beta=[1e6, 0, 0], role="driver")
    report = zw.Solver(arm, cs).solve(arm.random(1)).report
    assert "beyond_effort" in [w.kind for w in report.warnings]
    again = pickle.loads(pickle.dumps(report))
    assert again.warnings == report.warnings and again.explain() == report.explain()


def test_prescribed_joints_move_as_told(arm):
    _, solver = held_arm(arm)
    s = State(arm)
    x = solver.solve(s.q, s.v, s.tau, prescribed={"joint2": 1.5})
    close(x.acceleration[1], 1.5)
    all_of_them = dict(zip(arm.names, s.a))
    free = zw.Solver(arm, zw.ConstraintSet(arm)).solve(s.q, s.v, prescribed=all_of_them)
    close(free.motor_torque, zw.inverse_dynamics(arm, s.q, s.v, s.a))
    for wrong in ({"joint22": 1.0}, {"joint2": [1, 2]}, {"joint2": np.nan}, {2: 1.0}, [1], {"tool_mount": 1.0}):
        with pytest.raises(ValueError):
            solver.solve(s.q, prescribed=wrong)


def test_numbers_of_one_prescribed_joint_may_belong_to_a_call_of_many_states(arm):
    cs, solver = held_arm(arm)
    s, n = State(arm), 3
    for more in ({"beta": np.zeros((n, cs.rows))}, {"active": np.ones((n, 1), bool)}):  # read after prescribed
        status = np.zeros(n, np.uint8)
        x = solver.solve(s.q, prescribed={"joint2": np.nan}, status=status, **more)
        assert (status == zw.Status.non_finite_input.value).all() and np.isnan(x.acceleration).all()
        with pytest.raises(ValueError, match="state 0.*prescribed is not finite"):
            solver.solve(s.q, prescribed={"joint2": np.nan}, **more)
    with pytest.raises(ValueError, match="Solver.solve: .*prescribed"):
        solver.solve(s.q, prescribed={"joint2": np.nan})


def test_right_hand_sides_on_one_factorisation(arm):
    cs, solver = held_arm(arm)
    s = State(arm)
    with pytest.raises(RuntimeError):
        solver.resolve()
    solver.solve(s.q, s.v, s.tau)
    cs["tool"].beta = [0, 0.5, 0, 0, 1]
    push = {"link3": [1, 2, 3, 4, 5, 6.0]}
    again = solver.resolve(2 * s.tau, external=push, in_="link5")
    fresh = zw.Solver(arm, cs).solve(s.q, s.v, 2 * s.tau, external=push, in_="link5")
    scale = np.linalg.cond(zw.mass_matrix(arm, s.q)) * np.abs(fresh.multipliers).max()
    close(again.acceleration, fresh.acceleration, scale=scale)
    close(again.multipliers, fresh.multipliers, scale=scale)
    taus, betas = np.stack([s.tau, s.v, s.a]), np.random.default_rng(0).uniform(-1, 1, (3, 5))
    solver.solve(s.q, s.v, s.tau)
    a, multipliers = solver.solve_columns(taus, betas)
    assert a.shape == (3, 7) and multipliers.shape == (3, 5)
    for k in range(3):
        cs["tool"].beta = betas[k]
        one = zw.Solver(arm, cs).solve(s.q, s.v, taus[k])
        close(a[k], one.acceleration, scale=scale)
        close(multipliers[k], one.multipliers, scale=scale)
    with pytest.raises(ValueError):
        solver.solve_columns(taus, betas[:2])


def test_policies_priorities_and_singularities_reach_the_solver(arm):
    s = State(arm)

    def solve(singularity="truncation", **more):
        cs = zw.ConstraintSet(arm)
        cs.add_frame("tool", frame="tool0", rows="linear", role="driver", beta=[0, 0, 0.5], **more)
        return zw.Solver(arm, cs, singularity=singularity).solve(s.q, s.v, s.tau)
    hard = solve()
    close(solve(policy="early").acceleration, hard.acceleration, scale=1e4)
    soft = solve(policy="soft", compliance=0.7)
    close(soft["tool"].residual, -0.7 * soft["tool"].multipliers, scale=1e3)
    assert solve("proximal").report.singularity == "proximal"
    cs = zw.ConstraintSet(arm)
    cs.add_frame("tool", frame="tool0", rows="all", role="driver")
    cs.add_frame("elbow", frame="link4", rows="linear", beta=[1.0, 1.0, 1.0], role="driver", priority=1)
    x = zw.Solver(arm, cs).solve(s.q, s.v, s.tau)
    assert x.report.status == "ok" and {g.reason for g in x.report.given_up} == {"priority"}
    assert all(g.row.startswith("elbow:") for g in x.report.given_up)


def test_settings_can_be_read_and_changed(arm):
    _, solver = held_arm(arm, tolerance=1e-10, method="popov_vereshchagin")
    assert solver.method in zw.methods() == solver.methods and solver.tolerance == 1e-10
    solver.singularity = "damping"
    assert solver.singularity == "damping" and solver.solve(arm.neutral()).report.singularity == "damping"
    with pytest.raises(ValueError):
        solver.singularity = "dampingg"
    for word in ("damping\0x", "damping\0"):
        with pytest.raises(ValueError, match="singularity policy"):
            solver.singularity = word
    assert solver.singularity == "damping"
    solver.method = "nobody"
    with pytest.raises(ValueError, match="nobody"):
        solver.solve(arm.neutral())
    effects = zw.JointEffects(damping=False)
    solver.method = "automatic"
    v = np.ones(7)
    without = solver.solve(arm.neutral(), v, joint_effects=effects).acceleration
    assert not np.array_equal(solver.solve(arm.neutral(), v).acceleration, without)
    solver.joint_effects = effects
    assert np.array_equal(solver.solve(arm.neutral(), v).acceleration, without)
    on_moon = solver.solve(arm.neutral(), gravity=[0, 0, -1.62])
    assert not np.array_equal(on_moon.acceleration, solver.solve(arm.neutral()).acceleration)


def test_what_is_wrong_is_refused_by_name(arm, dog):
    cs, solver = held_arm(arm)
    with pytest.raises(zw.WorkspaceMismatch):
        zw.Solver(dog, cs)
    for call in (lambda: cs.add_frame("tool", frame="tool0"), lambda: cs.add_frame("a", frame="tol0"),
                 lambda: cs.add_frame("a", frame="tool0", rows="linear.w"), lambda: cs.add_frame("a", frame="tool0", rows=[]),
                 lambda: cs.add_frame("a", frame="tool0", rows=[[1, 2, 3]]), lambda: cs.add_frame("a", frame="tool0", beta=[1, 2]),
                 lambda: cs.add_frame("a", frame="tool0", in_="wurld"), lambda: cs.add_frame("", frame="tool0"),
                 lambda: cs.add_frame("a", frame="tool0", policy="soft"), lambda: cs.add_frame("a", frame="tool0", priority=-1),
                 lambda: cs.add_contact("a", frame="tool0", rows=4), lambda: cs.add_contact("a", frame="tool0", normal=[0, 0, 0]),
                 lambda: cs["tol"], lambda: solver.solve(arm.neutral())["tol"], lambda: zw.Solver(arm, cs, method="pv"),
                 lambda: zw.Solver(arm, cs, singularity="x"), lambda: solver.solve([1, 2]), lambda: solver.solve([np.nan] * 7),
                 lambda: zw.Solver(arm, cs, tolerance=np.nan).solve(arm.neutral())):
        with pytest.raises(ValueError):
            call()
    assert cs.names == ["tool"] and len(cs) == 1 and "tool" in cs and "a" not in cs and cs.rows == 5
    assert [c.name for c in cs] == ["tool"] and len(cs["tool"]) == 5
    assert "tool" in repr(cs) and "tool:linear.x" in repr(solver.solve(arm.neutral()))


def test_everything_outlives_what_it_was_made_of(arm):
    _, solver = held_arm(pickle.loads(pickle.dumps(arm)))
    del _
    gc.collect()
    x = solver.solve(arm.random(3))
    tool, report, joints = x["tool"], x.report, solver.model.joints
    wrench, names = tool.wrench, x.joint_wrenches
    constraint = solver.constraints["tool"]
    del solver, x
    gc.collect()
    assert np.isfinite(tool.multipliers).all() and np.isfinite(wrench).all() and report.explain()
    assert joints[2].name == "joint3" and constraint.size == 5 if hasattr(constraint, "size") else len(constraint) == 5
    constraint.beta = [1, 2, 3, 4, 5]
    assert set(names) == {j.name for j in joints if not j.lumped}


def test_random_robots_with_random_rows(robots):
    for m in random_robots(10):
        s, r = State(m, 2), np.random.default_rng(7)
        cs = zw.ConstraintSet(m)
        for k in range(3):
            cs.add_frame(f"c{k}", frame=str(r.choice(m.link_names)), rows=r.uniform(-1, 1, (2, 6)), beta=r.uniform(-1, 1, 2),
                         role=str(r.choice(["driver", "physical"])), in_=str(r.choice(["local", "world", "local_world_aligned"])))
        x = zw.Solver(m, cs).solve(s.q, s.v, s.tau)
        M, h = zw.mass_matrix(m, s.q), zw.bias_forces(m, s.q, s.v)
        scale = np.linalg.cond(M) * (np.abs(h).max() + np.abs(x.reaction).max() + np.abs(x.motor_torque).max())
        close(M @ x.acceleration + h, x.motor_torque + x.reaction, scale=scale)


def test_every_method_says_what_it_does_and_keeps_its_factorisation(arm):
    s = State(arm)
    q, v, tau = s.q, s.v, s.tau
    for name in zw.methods():
        assert zw.describe_method(name)
        constraints = zw.ConstraintSet(arm)
        soft = {"policy": "soft", "compliance": [0.1]} if name == "pv_soft" else {}
        constraints.add_frame("tool", frame="tool0", rows=["linear.x", "angular.y"], role="driver", **soft)
        solver = zw.Solver(arm, constraints, method=name)
        solver.solve(q, v, tau)
        fresh = zw.Solver(arm, constraints, method=name).solve(q, v, tau + 1)
        np.testing.assert_allclose(solver.resolve(tau + 1).acceleration, fresh.acceleration, rtol=0, atol=1e-9)
        assert solver.dynamic_pseudo_inverse().shape == (arm.nv, 2)
    with pytest.raises(ValueError, match="dense_lu"):
        zw.describe_method("dense_lw")


def test_what_is_given_once_holds_for_all_states_beside_what_is_given_for_each(arm):
    cs = zw.ConstraintSet(arm)
    for name, rows in (("tool", "linear.x"), ("off", "linear.y"), ("turn", "angular.z")):
        cs.add_frame(name, "tool0", rows)
    cs["off"].active = False
    solver, n = zw.Solver(arm, cs), 3
    q = np.stack([arm.random(k) for k in range(n)])
    each, on = np.array([0.7, -0.2, 0.1]), [True, False, True]
    s = solver.solve(q, prescribed={"joint1": 0.3, "joint2": 0.5, "joint3": each}, active={"turn": on})
    impulse = solver.impulse(q, q, {"turn": [0.25], "tool": np.array([[0.5], [1.0], [0.0]])}, active={"turn": on})
    for k in range(n):
        cs["turn"].active = on[k]
        one = solver.solve(q[k], prescribed={"joint1": 0.3, "joint2": 0.5, "joint3": each[k]})
        # lanes differ by rounding: 1e-9 is some 1e6 eps of numbers of order 1, for near-singular states
        assert np.allclose(s.acceleration[k], one.acceleration, rtol=0, atol=1e-9)
        assert np.array_equal(s.acceleration[k, :3], [0.3, 0.5, each[k]])
        shock = solver.impulse(q[k], q[k], {"turn": 0.25, "tool": [0.5, 1.0, 0.0][k]})
        assert np.allclose(impulse.velocity[k], shock.velocity, rtol=0, atol=1e-9)
