# SPDX-License-Identifier: BSD-3-Clause
"""Sets of constraints as a whole: groups, JSON, pickle, copies; the matrices and errors of a solve."""
import copy
import gc
import json
import pickle

import numpy as np
import pytest
import zwang as zw
from conftest import EPS, State


def doubled(q, v):
    """q_2 = q_5, in a function that pickle finds by its name."""
    return [q[1] - q[4]], [[1, -1]], [0.0]


class Circle:
    """q_2^2 + q_5^2 = radius^2."""

    def __init__(self, radius):
        self.radius = radius

    def evaluate(self, q, v):
        phi = q[1] ** 2 + q[4] ** 2 - self.radius**2
        return [phi], [[2 * q[1], 2 * q[4]]], [2 * v[1] ** 2 + 2 * v[4] ** 2]


def some(model):
    """One constraint of every type, changed after it was added."""
    s = zw.ConstraintSet(model)
    s.add_frame("hold", "link3", "linear.x", target_pose=np.eye(4), time_constant=0.3, active=False)
    s.add_contact("touch", "tool0", normal=[0, 0.1, 1], rows=2, point=[0.01, 0.02, 0.03], weight=[1, 2])
    s.add_loop("closed", ("link2", "link6"), {"joint": "universal", "axis": "x"}, time_constant=0.1, active=False)
    s.add_distance("rod", ("link1", "tool0"), 0.7, policy="soft", compliance=0.1)
    s.add_coupling("gear", ["joint1", "joint3"], [1, -3], offset=0.1)
    s.add_rolling("wheel", "link5", 0.1, "y", rows="normal", priority=1)
    s.add_centre_of_mass("balance", "linear.x", compensate=["gravity", "tau"])
    s["touch"].beta = [0.1, -0.0]
    s["rod"].target = [1 / 3]
    s["gear"].role = "driver"
    s.add_group("sticks", ["rod", "gear"])
    s.add_group("ground", ["touch", "wheel"])
    return s


def motion(constraints, state, **settings):
    s = zw.Solver(constraints.model, constraints, **settings).solve(state.q, state.v, state.tau)
    return np.concatenate([s.acceleration, s.multipliers])


def test_json_gives_the_same_motion_to_the_last_bit(arm):
    one, x = some(arm), State(arm)
    text = one.to_json()
    two = zw.ConstraintSet.from_json(arm, text)
    assert two.to_json() == text and two.groups == one.groups and two.names == one.names
    assert np.array_equal(motion(one, x), motion(two, x))
    document = json.loads(text)
    assert set(document) == {"format", "version", "constraints", "groups"}
    assert document["groups"] == {"sticks": ["rod", "gear"], "ground": ["touch", "wheel"]}
    assert [c["type"] for c in document["constraints"]] == [c.type for c in one]


def test_json_names_what_is_wrong(arm):
    with pytest.raises(ValueError, match=r"constraints\[0\].*did you mean 'rows'"):
        zw.ConstraintSet.from_json(arm, '{"constraints": [{"name": "a", "type": "frame", "frame": "tool0", "row": 1}]}')
    with pytest.raises(ValueError, match="groups.feet.*'a'"):
        zw.ConstraintSet.from_json(arm, '{"groups": {"feet": ["a"]}}')
    s = some(arm)
    s.add_custom("own", doubled, 1, ["joint2", "joint5"])
    with pytest.raises(zw.UnsupportedError, match="'own' is custom"):
        s.to_json()
    s = some(arm)
    s["wheel"].acceleration = "spatial"
    with pytest.raises(ValueError, match="'wheel'.*acceleration"):
        s.to_json()


@pytest.mark.parametrize("custom", [None, doubled, Circle(0.8)])
@pytest.mark.parametrize("through", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_copies_are_the_same_and_independent(arm, through, custom):
    one, x = some(arm), State(arm)
    if custom is not None:
        one.add_custom("own", custom, 1, ["joint2", "joint5"], target=[0.1], time_constant=0.2)
        one["own"].beta = 0.3
    solver = zw.Solver(arm, one)
    before = solver.solve(x.q, x.v, x.tau).acceleration
    two = through(one)
    assert two.names == one.names and two.groups == one.groups and repr(two) == repr(one)
    assert np.array_equal(motion(one, x), motion(two, x))
    of_two = zw.Solver(two.model, two)
    two["touch"].beta = [1.0, 2.0]
    two.set_active("sticks", False)
    two.add_frame("more", "tool0", "linear.y")
    two.add_group("new", ["more"])
    assert np.array_equal(solver.solve(x.q, x.v, x.tau).acceleration, before)
    assert "more" not in one and "new" not in one.groups and one["rod"].active
    of_two = zw.Solver(two.model, two)
    after = of_two.solve(x.q, x.v, x.tau).acceleration
    assert not np.allclose(after, before)
    one["touch"].beta = [3.0, 4.0]
    one.set_active("ground", False)
    assert np.array_equal(of_two.solve(x.q, x.v, x.tau).acceleration, after)
    del one, solver
    gc.collect()
    assert np.array_equal(of_two.solve(x.q, x.v, x.tau).acceleration, after)


def test_a_set_is_pickled_with_its_model(arm):
    model, constraints, again = pickle.loads(pickle.dumps((arm, some(arm), some(arm))))
    assert constraints.model is model and again.model is model
    zw.Solver(model, constraints).solve(State(model).q)  # no WorkspaceMismatch
    assert copy.deepcopy(constraints).model is model
    assert zw.ConstraintSet(arm).model is arm
    assert some(arm).model.nv == arm.nv
    assert zw.Solver(arm, some(arm)).constraints.model.nv == arm.nv


def restored(state):
    s = zw.ConstraintSet.__new__(zw.ConstraintSet)
    s.__setstate__(state)
    return s


OWN = '{"constraints": [{"name": "c", "type": "custom"}]}'
PAIR = '{"constraints": [{"name": "c", "type": "custom", "coordinates": ["joint2", "joint5"]}]}'


@pytest.mark.parametrize("text, functions, word", [
    (OWN, [("c", doubled, 1, 9000)], "columns"), (OWN, [("c", doubled, 1, 6)], "columns"), (OWN, [("c", doubled, 1, 0)], "columns"),
    (PAIR, [("c", doubled, 1, 7)], "columns"), (OWN, [("c", doubled, 10**9, 7)], "rows"), (OWN, [("c", doubled, 20001, 7)], "rows"),
    (OWN, [("c", doubled, 0, 7)], "rows"), (OWN, [("c", doubled, -1, 7)], "rows"), (OWN, [("c", doubled, 10**30, 7)], "rows"),
    (OWN, [("c", doubled, 1.0, 7)], "rows"), (OWN, [("c", doubled, 1, None)], "columns"), (OWN, [(b"c", doubled, 1, 7)], "name"),
    (OWN, [("c", 3, 1, 7)], "callable"), (OWN, [("c", doubled, 1)], "tuple of 4"), (OWN, [("c", doubled, 1, 7, 7)], "tuple of 4"),
    (OWN, [()], "tuple of 4"), (OWN, [None], "tuple of 4"), (OWN, None, "list"), (OWN, {}, "list"),
    (OWN, [], "no function is given for 'c'"), (OWN, [("c", doubled, 1, 7)] * 2, "'c' is given twice"),
    (OWN, [("c", doubled, 1, 7), ("d", doubled, 1, 7)], "'d' has no custom constraint"), (OWN, [("c", doubled, 1, 7)] * 20001, "functions"),
    (b"{}", [], "text"), (None, [], "text"), ("{", [], "JSON"), ("[]", [], "object"),
])
def test_a_pickle_of_a_set_is_not_believed(arm, text, functions, word):
    with pytest.raises(ValueError, match=word):
        restored((arm, text, functions))


def test_a_pickle_of_a_set_has_the_right_parts(arm):
    for state in ((), (arm,), (arm, "{}"), (arm, "{}", [], 1), [arm, "{}", []], None, 3):
        with pytest.raises(ValueError, match="tuple of 3"):
            restored(state)
    for model in (None, "arm", 3, zw.Model):
        with pytest.raises(ValueError, match="Model"):
            restored((model, "{}", []))
    with pytest.raises(ValueError, match="tuple of 3"):  # as a file would have it
        pickle.loads(b"\x80\x04czwang._zwang\nConstraintSet\n)\x81)b.")
    assert restored((arm, PAIR, [("c", doubled, 1, 2)]))["c"].row_names == ["c:row[0]"]
    assert restored((arm, "{}", ())).rows == 0


def test_custom_rows_are_counted_before_they_are_named(arm):
    s = zw.ConstraintSet(arm)
    for n in (20001, 2**31 - 1, 0, -1, -2**31):
        with pytest.raises(ValueError, match=f"constraint 'c': rows.*; got {n}"):
            s.add_custom("c", doubled, rows=n)
    assert len(s) == 0


def test_functions_that_cannot_be_pickled_say_so(arm):
    s = zw.ConstraintSet(arm)
    s.add_custom("own", lambda q, v: doubled(q, v), 1, ["joint2", "joint5"])
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(s)
    assert np.array_equal(motion(copy.deepcopy(s), State(arm)), motion(s, State(arm)))


def standing(dog):
    s = zw.ConstraintSet(dog)
    for foot in ("LF", "RF", "LH", "RH"):
        s.add_contact(foot, f"{foot}_foot")
    s.add_group("front", ["LF", "RF"])
    s.add_group("all", s.names)
    return s


def test_groups_are_switched_and_refused_by_name(dog):
    s, x = standing(dog), State(dog)
    solver = zw.Solver(dog, s)
    s.set_active("front", False)
    assert [c.active for c in s] == [False, False, True, True]
    assert solver.solve(x.q, x.v, x.tau).report.rows == 6
    s.set_active("LF", True)
    assert solver.solve(x.q, x.v, x.tau).report.rows == 9
    assert s.groups == {"front": ["LF", "RF"], "all": ["LF", "RF", "LH", "RH"]} and "front" in repr(s)
    for wrong, text in [(lambda: s.add_group("x", ["LFF"]), "did you mean 'LF'"), (lambda: s.add_group("x", []), "no members"),
                        (lambda: s.add_group("LF", ["RF"]), "taken"), (lambda: s.add_contact("front", "LF_foot"), "group"),
                        (lambda: s.set_active("fron", True), "did you mean 'front'")]:
        with pytest.raises(ValueError, match=text):
            wrong()


def test_the_wrench_of_a_group_carries_the_robot(dog):
    s, x = standing(dog), State(dog)
    x.tau[:6] = 0
    solution = zw.Solver(dog, s).solve(x.q, x.v, x.tau)
    base = zw.frame_pose(dog, x.q, dog.links[1].name if dog.links[0].name == "world" else dog.links[0].name)
    root = zw.inverse_dynamics(dog, x.q, x.v, solution.acceleration)[:6]
    g = solution.group("all", about=base[:3, 3])
    R = base[:3, :3]
    scale = np.abs(solution.multipliers).max()
    got = np.concatenate([R.T @ g.wrench[:3], R.T @ g.wrench[3:]])
    assert np.abs(got - root).max() < 1e5 * EPS * scale
    assert g.members == s.names and g.name == "all" and "all" in repr(g)
    parts = sum(solution[n].wrench[:3] for n in s.names)
    assert np.abs(solution.group("all").wrench[:3] - parts).max() < 100 * EPS * scale
    power = sum(solution[n].power for n in s.names)
    assert abs(g.power - power) < 100 * EPS * (1 + scale) and isinstance(g.power, float)
    with pytest.raises(ValueError, match="did you mean 'front'"):
        solution.group("frond")


def test_groups_and_errors_of_many_states(dog):
    s = standing(dog)
    for c in s:
        c.beta = [0.1, 0.2, 0.3]
    states = [State(dog, k) for k in range(1, 4)]
    q, v, tau = (np.array([getattr(x, name) for x in states]) for name in ("q", "v", "tau"))
    solver = zw.Solver(dog, s)
    mask = np.array([True, False, True])
    many = solver.solve(q, v, tau, active={"front": mask, "RH": True})
    about = np.arange(9.0).reshape(3, 3)
    for k, x in enumerate(states):
        s.set_active("front", bool(mask[k]))
        one = zw.Solver(dog, s).solve(x.q, x.v, x.tau)
        scale = 1 + np.abs(one.multipliers).max()
        # Both are one solve of one state; where N states go in lanes the rounding differs.
        assert np.abs(many.group("front", about).wrench[k] - one.group("front", about[k]).wrench).max() < 1e7 * EPS * scale
        assert abs(many.group("front").power[k] - one.group("front").power) < 1e7 * EPS * scale
        assert abs(many["LH"].power[k] - one["LH"].power) < 1e7 * EPS * scale
        assert np.abs(many.velocity_error[k] - one.velocity_error).max() < 1e4 * EPS
        assert np.abs(many["LH"].velocity_error[k] - one["LH"].velocity_error).max() < 1e4 * EPS
        assert np.isnan(many.position_error).all() and many.position_error.shape == (3, 12)
    with pytest.raises(ValueError, match="'LF' twice"):
        solver.solve(q, v, tau, active={"front": True, "LF": False})
    with pytest.raises(ValueError, match="did you mean"):
        solver.solve(q, v, tau, active={"frond": True})
    with pytest.raises(ValueError, match="states"):
        many.group("front", about[:2])
    with pytest.raises(ValueError, match="Solution.group.*about"):
        many.group("front", [0, 0, np.nan])


def test_errors_of_position_and_velocity(arm):
    x = State(arm)
    s = zw.ConstraintSet(arm)
    s.add_coupling("gear", ["joint2", "joint5"], [1, -3], offset=0.25, target=[0.5], target_velocity=[0.125])
    s.add_frame("free", "tool0", "linear.x")
    solution = zw.Solver(arm, s).solve(x.q, x.v, x.tau)
    error = x.q[1] - 3 * x.q[4] - 0.25 - 0.5
    rate = x.v[1] - 3 * x.v[4]
    assert abs(solution["gear"].position_error[0] - error) < 20 * EPS
    assert abs(solution["gear"].velocity_error[0] - (rate - 0.125)) < 1e3 * EPS
    assert abs(solution["gear"].power - solution["gear"].multipliers[0] * rate) < 1e4 * EPS * abs(solution["gear"].power)
    assert np.isnan(solution.position_error[1]) and not np.isnan(solution.velocity_error).any()


def test_what_was_given_is_taken_back_by_none(arm):
    x = State(arm)
    s = zw.ConstraintSet(arm)
    gear = s.add_coupling("gear", ["joint2", "joint5"], [1, -3], time_constant=0.1)
    solver = zw.Solver(arm, s)
    before = solver.solve(x.q, x.v, x.tau).acceleration.copy()
    for name in ("beta", "target", "target_velocity"):
        setattr(gear, name, [0.5])
        assert not np.array_equal(solver.solve(x.q, x.v, x.tau).acceleration, before)
        setattr(gear, name, None)
        assert np.array_equal(solver.solve(x.q, x.v, x.tau).acceleration, before)
    both = s.add_centre_of_mass("balance", rows=["linear.x", "linear.z"])
    assert both.row_names == ["balance:linear.x", "balance:linear.z"]
    gear.weight, gear.compliance = [2.0], [1e-3]
    gear.weight = gear.weight
    gear.weight = gear.compliance = None
    gear.target = gear.target
    assert gear.weight.size == gear.compliance.size == 0 and gear.beta.size == 1


def test_a_loop_that_is_open_is_said_unless_something_closes_it(arm):
    x = State(arm)
    s = zw.ConstraintSet(arm)
    gear = s.add_coupling("gear", ["joint2", "joint5"], [1, -3])
    solver = zw.Solver(arm, s)
    report = solver.solve(x.q).report
    assert [(w.kind, w.row) for w in report.warnings] == [("position_violates", "gear:coupling")]
    assert abs(report.warnings[0].value - (x.q[1] - 3 * x.q[4])) < 20 * EPS and "gear" in report.explain()
    gear.time_constant = 0.1
    assert not solver.solve(x.q).report.warnings
    gear.time_constant, gear.target = 0, [x.q[1] - 3 * x.q[4]]
    assert not solver.solve(x.q).report.warnings
    gear.target = None
    for role, policy, count in (("driver", "hard", 0), ("physical", "soft", 1)):
        gear.role, gear.compliance, gear.policy = role, [1e-3], policy
        assert len(solver.solve(x.q).report.warnings) == count


def test_a_centre_of_mass_is_where_it_is(arm):
    s = zw.ConstraintSet(arm)
    balance = s.add_centre_of_mass("balance", "linear.x")
    solver, q = zw.Solver(arm, s), State(arm).q
    assert not solver.solve(q).report.warnings
    balance.target = [5.0]
    assert [w.kind for w in solver.solve(q).report.warnings] == ["position_violates"]


def test_the_place_of_the_rows_is_told(arm):
    s = zw.ConstraintSet(arm)
    foot = s.add_contact("foot", "tool0", [0, 0, 1])
    assert foot.warn_of_pull
    place = zw.Solver(arm, s).solve(State(arm).q).report.place
    assert isinstance(place, zw.PlaceOfRows) and place.reason == "own_paths" and place.root > 0
    assert zw.Solver(arm, s, method="bbo").solve(State(arm).q).report.place.reason == "asked"
    foot.warn_of_pull = False
    pulled = {"tool0": [0, 0, 1e5, 0, 0, 0]}
    solver = zw.Solver(arm, s)
    assert not solver.solve(State(arm).q, external=pulled).report.warnings
    foot.warn_of_pull = True
    with pytest.raises(ValueError, match="closed.*warn_of_pull"):
        s.add_loop("closed", ("link3", "tool0"), "linear.x").warn_of_pull = True
    solver = zw.Solver(arm, s)
    s["closed"].active = False
    assert [w.kind for w in solver.solve(State(arm).q, external=pulled).report.warnings] == ["contact_pulls"]


@pytest.mark.parametrize("method", ["automatic", "dense_qr"])
def test_the_matrices_of_a_solve(arm, method):
    x, s = State(arm), some(arm)
    s["wheel"].priority = 0
    s["balance"].compensate = None
    solver = zw.Solver(arm, s, method=method)
    with pytest.raises(RuntimeError):
        solver.system()
    gravity, push = [1.0, 2.0, -3.0], {"tool0": [1, 2, 3, 4, 5, 6]}
    solution = solver.solve(x.q, x.v, x.tau, gravity=gravity, external=push, in_="local")
    M, h, J, target = solver.system()
    active = np.concatenate([[c.active] * len(c) for c in s]).astype(bool)
    soft = np.concatenate([c.compliance if c.policy == "soft" else np.zeros(len(c)) for c in s])[active]
    lam, a = solution.multipliers[active], solution.acceleration
    scale = np.abs(J.T).max() * np.abs(lam).max() + np.abs(h).max() + np.abs(M).max() * np.abs(a).max()
    assert np.abs(M @ a + h - x.tau - J.T @ lam).max() < 1e4 * EPS * scale
    assert np.abs(J @ a + soft * lam - target).max() < 1e6 * EPS * (1 + np.abs(a).max() + np.abs(target).max())
    assert np.array_equal(solver.constraint_jacobian(), J) and np.array_equal(solver.constraint_target(), target)
    out, vector = np.empty_like(J), np.empty_like(target)
    assert solver.constraint_jacobian(out=out) is out and np.array_equal(out, J)
    assert solver.constraint_target(out=vector) is vector and np.array_equal(vector, target)
    with pytest.raises(ValueError, match="constraint_target.*out"):
        solver.constraint_target(out=np.empty(1))
    assert np.allclose(M, zw.mass_matrix(arm, x.q)) and isinstance(solver.system(), zw.System)


def test_what_a_constraint_was_added_with_can_be_read():
    quadruped = zw.sample("quadruped", root="floating")
    a, b = quadruped.frame_names[-2], quadruped.frame_names[-3]
    pose = np.array([[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]], float)
    constraints = zw.ConstraintSet(quadruped)
    contact = constraints.add_contact("c", "LF_foot", normal=[0, 1, 1], point=[0, 0, -0.02], tangent=[1, 0, 0], rows=3)
    frame = constraints.add_frame("f", "trunk", rows=["linear.x", "angular"], in_="local", target_pose=pose, time_constant=0.1)
    loop = constraints.add_loop("l", (a, b), rows={"joint": "hinge", "axis": "z"})
    bar = constraints.add_distance("d", (a, b), 0.5, point=[0.1, 0, 0], other_point=[0, 0.2, 0])
    coordinates = [n for n in quadruped.coordinate_names if not n.startswith("root")][:2]
    gear = constraints.add_coupling("g", coordinates, ratio=[1, -2], offset=0.3)
    wheel = constraints.add_rolling("w", "RF_foot", 0.1, axis=[0, 1, 0])
    com = constraints.add_centre_of_mass("m", rows=[[1, 0, 0]])
    own = constraints.add_custom("o", lambda q, v: (None, np.zeros((1, len(v))), [0.0]), 1)

    assert np.array_equal(contact.normal, [0, 1, 1]) and np.array_equal(contact.point, [0, 0, -0.02])
    assert np.array_equal(contact.tangent, [1, 0, 0]) and contact.rows == 3 and contact.target_point is None
    assert frame.frame == "trunk" and frame.in_ == "local" and np.array_equal(frame.target_pose, pose)
    assert frame.matrix.shape == (4, 6) and frame.rows == ["linear.x", "angular.x", "angular.y", "angular.z"]
    assert loop.frames == (a, b) and loop.matrix.shape == (5, 6) and np.allclose(np.abs(loop.free_axes), [[0, 0, 1]])
    assert bar.frames == (a, b) and bar.length == 0.5 and np.array_equal(bar.other_point, [0, 0.2, 0])
    assert gear.coordinates == coordinates and np.array_equal(gear.ratio, [1, -2]) and gear.offset == 0.3
    assert wheel.radius == 0.1 and np.array_equal(wheel.axis, [0, 1, 0]) and np.array_equal(wheel.normal, [0, 0, 1])
    assert np.array_equal(com.rows, [[1, 0, 0]])
    assert callable(own.function) and own.coordinates == []
    for constraint in constraints:  # what can be read makes the same constraint again
        assert set(constraint.definition) and all(hasattr(constraint, key) for key in constraint.definition)
    again = zw.ConstraintSet(quadruped)
    again.add_contact("c", **{k: v for k, v in contact.definition.items() if v is not None})
    again.add_rolling("w", **wheel.definition)
    again.add_coupling("g", **{k: v for k, v in gear.definition.items() if len(np.atleast_1d(v))})
    for name in ("f", "l", "d", "m", "o"):
        constraints[name].active = False
    q, v = quadruped.random(seed=1), quadruped.zero()
    old, new = constraints.evaluate(q, v), again.evaluate(q, v)
    assert sorted(map(tuple, np.asarray(old.jacobian).tolist())) == sorted(map(tuple, np.asarray(new.jacobian).tolist()))
    with pytest.raises(AttributeError, match="a constraint of type 'contact' has no 'length'.*normal"):
        contact.length
    contact.definition["rows"] = 1  # a copy
    assert contact.rows == 3


def test_clear_takes_all_out_and_solvers_follow():
    arm = zw.sample("arm7")
    constraints = zw.ConstraintSet(arm)
    tool = constraints.add_frame("tool", "tool0")
    constraints.add_group("all", ["tool"])
    solver = zw.Solver(arm, constraints)
    q, v = arm.random(seed=1), arm.zero()
    assert solver.solve(q, v, v).report.rows == 6
    constraints.clear()
    assert len(constraints) == 0 and constraints.rows == 0 and constraints.groups == {}
    s = solver.solve(q, v, v)
    assert s.report.rows == 0 and np.allclose(s.acceleration, zw.forward_dynamics(arm, q, v, v), rtol=1e-12, atol=1e-12)
    with pytest.raises(AttributeError, match="tool"):
        tool.beta
    constraints.add_frame("tool", "tool0", rows=["linear.x"])  # the name is free again
    assert solver.solve(q, v, v).report.rows == 1
