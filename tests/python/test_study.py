# SPDX-License-Identifier: BSD-3-Clause
"""Studies: what they compute is what plain calls compute. Their folders: test_study_folder.py, engines: test_study_engines.py."""
import json
import pathlib
import pickle
import shutil
from concurrent.futures import Executor, Future

import numpy as np
import pytest
import zwang as zw
from conftest import ROOT, torques

pytest.importorskip("pyarrow", reason="studies write Parquet: pip install zwang[study]")
from zwang.study import parameters, store, work

S = zw.study
PACKAGE = pathlib.Path(zw.__file__).resolve().parent


def double(block):
    """A function of the user."""
    return {"twice": 2 * block.q, "mass": np.full(len(block), block.model.mass)}


class Shuffled(Executor):
    """Runs what it is given in another order, in this thread, when the driver waits."""

    def __init__(self):
        self.order, self._waiting = [], []

    def submit(self, function, /, *words):
        future = Future()
        if function is work.greet:
            future.set_result(function(*words))
            return future
        self._waiting.append((future, function, words))
        if len(self._waiting) == 3 or words[1] >= 6:  # of 8 blocks
            for f, g, w in reversed(self._waiting):
                self.order.append(w[1])
                f.set_result(g(*w))
            self._waiting.clear()
        return future


# --- what states are ------------------------------------------------------------------------------------------------------


def test_random_states_are_those_of_their_number(arm):
    q = zw.random_states(arm, 50, seed=7)
    np.testing.assert_array_equal(q[0], arm.random(7))
    np.testing.assert_array_equal(zw.random_states(arm, 10, 7, first=33), q[33:43])
    assert (q >= arm.lower).all() and (q <= arm.upper).all()
    for kind in ("uniform", "normal"):
        x = zw.random_numbers(40, 3, seed=5, distribution=kind)
        np.testing.assert_array_equal(zw.random_numbers(5, 3, 5, 12, kind), x[12:17])
    u, z = zw.random_numbers(40000, 2, 1), zw.random_numbers(40000, 2, 1, distribution="normal")
    assert (u >= 0).all() and (u < 1).all() and abs(u.mean() - 0.5) < 5 / np.sqrt(12 * u.size)  # five standard deviations
    assert abs(z.mean()) < 5 / np.sqrt(z.size) and abs(z.var() - 1) < 5 * np.sqrt(2 / z.size)
    assert zw.random_states(arm, 0).shape == (0, 7)
    with pytest.raises(ValueError, match="distribution"):
        zw.random_numbers(1, 1, distribution="gauss")


def factors(arm):
    return [S.Sample(11, seed=2, q="limits", v=(-1, 1)), S.Grid({"tau.joint2": (-1, 1, 3), "tau.joint4": [5.0, 7.0]}, {"tau": np.arange(7)}),
            S.Arrays(a=np.arange(35.0).reshape(5, 7))]


def test_states_of_a_product_do_not_depend_on_where_a_block_begins(arm):
    over = S.over.Product(factors(arm))
    assert over.shape == (11, 3, 2, 5) and over.states == 330 and over.names == ("q", "v", "tau", "a")
    whole = over.values(arm, 0, 330)
    for first, count in ((0, 1), (1, 7), (29, 31), (0, 330), (100, 200), (329, 1), (13, 64)):
        part = over.values(arm, first, count)
        for name, x in part.items():
            np.testing.assert_array_equal(x, whole[name][first:first + count], err_msg=f"{name} {first}")
    k = np.unravel_index(217, (11, 3, 2, 5))
    np.testing.assert_array_equal(whole["q"][217], zw.random_states(arm, 11, 2)[k[0]])
    tau = np.arange(7.0)
    tau[[1, 3]] = np.linspace(-1, 1, 3)[k[1]], [5.0, 7.0][k[2]]
    np.testing.assert_array_equal(whole["tau"][217], tau)
    np.testing.assert_array_equal(whole["a"][217], np.arange(7 * k[3], 7 * k[3] + 7))


def test_a_variable_does_not_depend_on_the_others_of_a_sample(arm):
    one, two = S.Sample(5, 1, v=(-1, 1)), S.Sample(5, 1, q="limits", v=(-1, 1), a=(0, 1))
    np.testing.assert_array_equal(one.values(arm, 0, 5)["v"], two.values(arm, 0, 5)["v"])
    assert not np.allclose(two.values(arm, 0, 5)["v"], 2 * two.values(arm, 0, 5)["a"] - 1)


def test_poses_of_a_sample_are_poses_in_their_box(arm):
    X = S.Sample(2000, 4, targets={"pose": ((0, -1, 2), (1, 1, 3))}).values(arm, 0, 2000)["targets"]
    R = X[:, :3, :3]
    eps = np.finfo(float).eps
    assert np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)).max() < 16 * eps and (np.linalg.det(R) > 0).all()
    assert (X[:, :3, 3] >= [0, -1, 2]).all() and (X[:, :3, 3] <= [1, 1, 3]).all()
    assert np.abs(R.mean(axis=0)).max() < 5 / np.sqrt(3 * 2000)  # uniform: each entry has mean 0, variance 1/3
    turned = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
    X = S.Sample(3, 4, targets={"pose": ((0, 0, 0), (1, 1, 1)), "rotation": turned}).values(arm, 0, 3)["targets"]
    np.testing.assert_array_equal(X[:, :3, :3], [turned] * 3)


def test_files_of_states_count_by_their_content(arm, tmp_path):
    q = zw.random_states(arm, 20, 1)
    np.save(tmp_path / "q.npy", q)
    np.savez(tmp_path / "some.npz", q=q, v=q)
    first = zw.Study(arm, what="gravity_forces", over=S.Arrays(file=tmp_path / "q.npy"))
    shutil.copy(tmp_path / "q.npy", tmp_path / "other.npy")
    assert zw.Study(arm, what="gravity_forces", over=S.Arrays(file=tmp_path / "other.npy")).hash == first.hash
    assert set(S.Arrays(file=tmp_path / "some.npz").names) == {"q", "v"}
    results = first.run(tmp_path / "out")
    np.testing.assert_array_equal(results["gravity_forces"], zw.gravity_forces(arm, q))
    again = pickle.loads(pickle.dumps(first))
    assert again.hash == first.hash
    stored = zw.Study(arm, what=["q"], over=S.Arrays(q=q)).run(tmp_path / "stored")  # results are states of another study
    table = S.Arrays(file=store.block_path(stored.folder, 0))
    np.testing.assert_array_equal(table.values(arm, 0, 20)["q"], q)
    np.save(tmp_path / "q.npy", q + 1)
    with pytest.raises(ValueError, match="it has changed"):
        pickle.loads(pickle.dumps(first))


# --- what is computed -----------------------------------------------------------------------------------------------------


def test_results_are_those_of_one_call(arm, tmp_path):
    study = torques(arm)
    results = study.run(tmp_path / "out")
    over = study.over.values(arm, 0, 1000)
    np.testing.assert_array_equal(results["inverse_dynamics"], zw.inverse_dynamics(arm, over["q"], over["v"], over["a"]))
    assert results.complete and results.status == "complete" and len(results.done) == 8 and results.check() == []
    assert (results["inverse_dynamics.status"] == zw.Status.ok).all()
    assert sum(len(x["inverse_dynamics"]) for _, x in results) == 1000
    units = {c.name: c.units for c in results.columns}
    assert units["inverse_dynamics"] == "N m, N" and results.manifest["result"] == results.hash()


def of_call(name, model):
    """Variables and constants with which a call can be made."""
    function = getattr(zw, name, None) or getattr(zw.Solver, {"solve_derivatives": "solve"}.get(name, name))
    words = [p.name for p in S.calls.parameters_of(function)]
    constants = {"frame": "LF_foot", "frames": ["LF_foot", "RH_foot"], "seen_from": "trunk", "point": [0, 0, 0.1], "joint": "LF_knee",
                 "t": 0.3, "steps": 3}
    constants = {k: x for k, x in constants.items() if k in words}
    if "steps" in constants:
        constants["dt"] = 1e-3
    variables = {k: "limits" if k.startswith("q") else (-1, 1) for k in words
                 if k in ("q", "q0", "q1", "v", "a", "tau", "dq", "b", "w", "u", "v0", "v_before", "dv", "da", "dtau")}
    if name == "inverse_kinematics":
        constants, variables = {"frame": "LF_foot", "rows": "linear"}, {**variables, "targets": {"pose": ((0, 0, -0.3), (0.4, 0.2, 0))}}
    return variables, constants


@pytest.mark.parametrize("name", S.known_calls())
def test_every_call_gives_the_same_in_blocks_as_at_once(name, dog):
    constraints = zw.ConstraintSet(dog)
    constraints.add_frame("foot", frame="LF_foot", rows="linear")
    variables, constants = of_call(name, dog)
    def study(block):
        return zw.Study(dog, constraints, S.Call(name, **constants), S.Sample(7, 1, variables), block=block)
    one, many = study(7), study(3)
    assert one.columns == many.columns and one.columns
    whole = work.compute(one, 0)
    parts = [work.compute(many, k) for k in range(many.blocks)]
    assert isinstance(whole, work.Computed), whole
    for column in one.columns:
        joined = np.concatenate([p.columns[column.name] for p in parts])
        np.testing.assert_array_equal(joined, whole.columns[column.name], err_msg=column.name)
        if column.type == "float64" and "derivatives" not in name:
            assert np.isfinite(joined).all(), column.name


def test_solves_and_their_parts(dog, tmp_path):
    constraints = zw.ConstraintSet(dog)
    for foot in ("LF_foot", "RH_foot"):
        constraints.add_frame(foot, frame=foot, rows="linear")
    study = zw.Study(dog, constraints, [S.Call("solve", keep=["acceleration", "LF_foot.multipliers"]),
                                           S.Call("solve", name="soft", regularisation=1e-6, singularity="proximal", keep="multipliers")],
                     S.Sample(40, 1, q="limits", v=(-1, 1)), block=16)
    results = study.run(tmp_path / "out")
    over = study.over.values(dog, 0, 40)
    solution = zw.Solver(dog, constraints).solve(over["q"], over["v"])
    np.testing.assert_array_equal(results["solve.acceleration"], solution.acceleration)
    np.testing.assert_array_equal(results["solve.LF_foot.multipliers"], solution["LF_foot"].multipliers)
    assert set(results.numpy()) == {"solve.acceleration", "solve.LF_foot.multipliers", "soft.multipliers", "solve.status", "soft.status"}


def test_functions_of_the_user(arm, tmp_path):
    study = zw.Study(arm, what=[double, S.Function(lambda block: block.q.sum(axis=1), name="total"), "q"], over=S.Sample(300, 1, q="limits"), block=64)
    results = study.run(tmp_path / "out")
    q = zw.random_states(arm, 300, 1)
    np.testing.assert_array_equal(results["double.twice"], 2 * q)
    np.testing.assert_array_equal(results["total"], q.sum(axis=1))
    np.testing.assert_array_equal(results["q"], q)
    factor = 2
    def scaled(block):
        return factor * block.q
    first = zw.Study(arm, what=scaled, over=S.Sample(3, 1, q="limits")).hash
    factor = 3
    assert zw.Study(arm, what=scaled, over=S.Sample(3, 1, q="limits")).hash != first  # what it refers to counts


def test_parameters_of_the_model(arm, tmp_path):
    over = [S.Grid({"mass:link3": [1.0, 4.0], "gravity:z": [-9.81, -1.62]}), S.Sample(10, 1, q="limits")]
    results = zw.Study(arm, what=["gravity_forces", "mass:link3"], over=over, block=7).run(tmp_path / "out")
    g = results.grid("gravity_forces")
    assert g.shape == (2, 2, 10, 7)
    np.testing.assert_allclose(g[:, 1], g[:, 0] * (1.62 / 9.81), rtol=1e-14, atol=1e-13)  # gravity forces are linear in g
    own = json.loads(arm.to_json())
    link, = (x for x in own["links"] if x["name"] == "link3")
    link["inertia"], link["mass"] = [x * 4 / link["mass"] for x in link["inertia"]], 4.0
    np.testing.assert_array_equal(g[1, 0], zw.gravity_forces(zw.model_from_json(json.dumps(own)), zw.random_states(arm, 10, 1)))
    assert set(results["mass:link3"]) == {1.0, 4.0}


@pytest.mark.parametrize("name", ["mass:link3", "inertia:link3", "centre:link3.y", "length:joint3", "position:joint3.x", "payload:link7",
                                  "gravity:x", "damping:joint2", "friction:joint2", "stiffness:joint2", "rotor_inertia:joint2", "effort:joint2"])
def test_every_parameter_changes_its_number_alone(arm, name):
    before = parameters.document_of(arm)
    kind, _, whom = name.partition(":")
    model = parameters.changed(before, {name: 0.37})
    entry = next((x for x in [*model.links, *model.joints] if x.name == whom.split(".")[0]), None)
    old = next((x for x in [*arm.links, *arm.joints] if x.name == whom.split(".")[0]), None)
    q, v = arm.random(1), np.linspace(-1, 1, 7)
    effect = {"damping": lambda m: m.damping[1], "friction": lambda m: m.friction[1], "effort": lambda m: m.effort_limit[1],
              "mass": lambda m: next(x.mass for x in m.links if x.name == whom),
              "gravity": lambda m: m.gravity[0], "centre": lambda m: next(x.centre[1] for x in m.links if x.name == "link3")}
    if kind in effect:
        assert effect[kind](model) == 0.37
    elif kind == "inertia":
        np.testing.assert_allclose(entry.inertia, 0.37 * old.inertia, rtol=1e-15)
    elif kind == "payload":
        Y = zw.frame_pose(arm, q, "link7")
        expected = arm.mass + 0.37
        assert abs(model.mass - expected) < 4 * np.finfo(float).eps * expected
        moved = zw.mass_matrix(model, q) - zw.mass_matrix(arm, q)
        J = zw.jacobian_at(arm, q, "link7", Y[:3, 3])[:3]
        np.testing.assert_allclose(moved, 0.37 * J.T @ J, atol=64 * np.finfo(float).eps * np.abs(zw.mass_matrix(model, q)).max())
    elif kind in ("length", "position"):
        at = zw.frame_pose(model, model.neutral(), "link3")[:3, 3], zw.frame_pose(arm, arm.neutral(), "link3")[:3, 3]
        parent = zw.frame_pose(arm, arm.neutral(), "link2")
        local = [np.linalg.solve(parent, [*x, 1])[:3] for x in at]
        expected = 0.37 * local[1] if kind == "length" else [0.37, *local[1][1:]]
        np.testing.assert_allclose(local[0], expected, atol=1e-15)
    else:
        assert not np.allclose(zw.inverse_dynamics(model, q, v, v), zw.inverse_dynamics(arm, q, v, v))
    assert parameters.document_of(arm) == before


def test_damping_of_a_joint_of_any_type_can_be_set():
    for type_ in [*zw.joint_types(), "continuous"]:
        b = zw.ModelBuilder("one").add_link("base").add_link("body", mass=1, inertia=np.eye(3))
        words = {"parameters": {"helical": [0.1], "ellipsoid": [0.3, 0.2, 0.4]}.get(type_, [])}
        model = parameters.changed(parameters.document_of(b.add_joint("j", type_, "base", "body", **words).build()), {"damping:j": 0.37})
        assert list(model.damping) == [0.37] * model.nv, type_


def test_reductions_are_those_of_all_numbers_and_of_no_order(arm, tmp_path):
    words = ["count", "min", "max", "mean", "std", "arg_min", "arg_max", {"histogram": {"bins": 13, "range": (-20, 30)}}]
    study = torques(arm, reduce={"inverse_dynamics": words}, store=["inverse_dynamics"])
    results = study.run(tmp_path / "a")
    x, found = results["inverse_dynamics"], results.reduced["inverse_dynamics"]
    eps = np.finfo(float).eps
    np.testing.assert_array_equal(found["count"], 1000)
    for name in ("min", "max"):
        np.testing.assert_array_equal(found[name], getattr(x, name)(axis=0))
        np.testing.assert_array_equal(found["arg_" + name], getattr(x, "arg" + name)(axis=0))
    size = np.abs(x).mean(axis=0)
    assert (np.abs(found["mean"] - x.mean(axis=0)) <= 1000 * eps * size).all()  # n roundings of sums of their size
    np.testing.assert_allclose(found["std"], x.std(axis=0), rtol=1000 * eps)
    h = found["histogram"]
    for k in range(7):
        np.testing.assert_array_equal(h["counts"][k], np.histogram(x[:, k], 13, (-20, 30))[0])
        assert h["below"][k] == (x[:, k] < -20).sum() and h["above"][k] == (x[:, k] > 30).sum()
    shuffled = Shuffled()
    other = study.run(tmp_path / "b", shuffled)
    assert shuffled.order != sorted(shuffled.order) and other.hash() == results.hash()
    np.testing.assert_array_equal(other.reduced["inverse_dynamics"]["mean"], found["mean"])
    small = torques(arm, reduce={"inverse_dynamics": words}, store=[]).run(tmp_path / "c")
    assert [c.name for c in small.columns] == ["inverse_dynamics.status"] and small.complete
    np.testing.assert_array_equal(small.reduced["inverse_dynamics"]["std"], found["std"])


def test_states_without_a_result_do_not_count(arm, tmp_path):
    q = zw.random_states(arm, 10, 1)
    q[3, 2] = np.nan
    np.save(tmp_path / "q.npy", q)
    results = zw.Study(arm, what="gravity_forces", over=S.Arrays(file=tmp_path / "q.npy"),
                       reduce={"gravity_forces": ["count", "mean", "arg_max"]}, store=["gravity_forces", "gravity_forces.status"]).run(tmp_path / "out")
    assert results["gravity_forces.status"][3] == zw.Status.non_finite_input and np.isnan(results["gravity_forces"][3]).all()
    np.testing.assert_array_equal(results.reduced["gravity_forces"]["count"], 9)
    good = np.delete(results["gravity_forces"], 3, axis=0)
    np.testing.assert_allclose(results.reduced["gravity_forces"]["mean"], good.mean(axis=0), rtol=1e-14, atol=1e-14)


def test_results_as_frames_and_arrays(arm, tmp_path):
    grid = S.Grid({"q.joint1": (-1, 1, 4), "q.joint2": (0, 1, 3)})
    results = zw.Study(arm, what=[S.Call("frame_pose", frame="tool0", name="tool"), "q"], over=grid, block=5).run(tmp_path / "out")
    poses = zw.frame_pose(arm, results["q"], "tool0")
    assert results.grid("tool").shape == (4, 3, 4, 4)
    np.testing.assert_array_equal(results.grid("tool").reshape(12, 4, 4), poses)
    assert results.arrow().count_rows() == 12
    try:
        import pandas  # noqa: F401
        frame = results.pandas(["tool"])
        assert frame.shape == (12, 18) and list(frame)[:2] == ["q.joint1", "q.joint2"]
        np.testing.assert_array_equal(frame["tool[0,3]"], poses[:, 0, 3])
    except ImportError:
        print("SKIPPED: pandas is not installed")
    try:
        import polars  # noqa: F401
        assert results.polars(["q"]).shape == (12, 1)
    except ImportError:
        print("SKIPPED: polars is not installed")
    try:
        import zarr
    except ImportError:
        print("SKIPPED: zarr is not installed")
        return
    results.to_zarr(tmp_path / "z")
    group = zarr.open_group(tmp_path / "z", mode="r")
    np.testing.assert_array_equal(group["tool"][:], results.grid("tool"))
    assert group["tool"].attrs["units"] == "m"


# --- documents ------------------------------------------------------------------------------------------------------------


def test_a_document_makes_the_same_study(dog, tmp_path):
    constraints = zw.ConstraintSet(dog)
    constraints.add_frame("foot", frame="LF_foot", rows="linear")
    study = zw.Study(dog, constraints, [S.Call("solve", joint_effects=zw.JointEffects(damping=False), keep="acceleration"), "mass:trunk"],
                     [S.Grid({"mass:trunk": (1, 2, 3)}), S.Sample(10, 1, q="limits", v={"normal": (0, 0.5)}, tau={"value": np.arange(18.0)})],
                     reduce={"solve.acceleration": ["mean", {"histogram": {"bins": 3, "range": (-1, 1)}}]}, name="both")
    again = S.from_document(json.loads(json.dumps(study.document())))
    assert again.hash == study.hash and again.document() == study.document()
    assert pickle.loads(pickle.dumps(study)).hash == study.hash
    file = tmp_path / "study.json"
    shutil.copy(ROOT / "models/quadruped.urdf", tmp_path)
    (tmp_path / "set.json").write_text(constraints.to_json())
    file.write_text(json.dumps({**study.document(), "model": {"file": "quadruped.urdf", "root": "floating"}, "constraints": "set.json"}))
    assert S.read_study(file).hash == study.hash
    assert zw.Study(dog, constraints, study.what, study.over.factors, reduce={"solve.acceleration": "mean"}).hash != study.hash


BAD = [
    (dict(what="inverse_dinamics"), "no call 'inverse_dinamics' of states; did you mean 'inverse_dynamics'"),
    (dict(what=S.Call("inverse_dynamics")), "argument 'v' is neither a variable of the study"),
    (dict(what={"call": "frame_pose"}), "argument 'frame' is neither"),
    (dict(what=S.Call("frame_pose", frame="tool1")), "tool0"),
    (dict(what={"call": "frame_pose", "frmae": "tool0"}), "no argument 'frmae'; did you mean 'frame'"),
    (dict(what="solve"), "the study has no constraints"),
    (dict(what=[]), "'what' is empty"),
    (dict(what=["q", "q"]), "two calculations are called 'q'"),
    (dict(what=lambda block: 1 / 0), "ZeroDivisionError"),
    (dict(what=lambda block: block.q[:1]), "one for each state"),
    (dict(what=lambda block: {"a": block.velocity}), "no variable 'velocity'"),
    (dict(over=[]), "over is empty"),
    (dict(over=S.Sample(5, q="limits", tau=(-1, 1))), "no calculation reads the variable 'tau'"),
    (dict(over=[S.Sample(5, q="limits"), S.Grid({"q.joint1": (0, 1, 2)})]), "sets 'q' twice"),
    (dict(over=S.Grid({"q.joint9": (0, 1, 2)})), "no joint 'joint9'; did you mean 'joint"),
    (dict(over=[S.Sample(5, q="limits"), S.Grid({"mass:link33": [1.0]})]), "no link 'link33'; did you mean 'link3'"),
    (dict(over=[S.Sample(5, q="limits"), S.Grid({"mas:link3": [1.0]})]), "no kind 'mas'; did you mean 'mass'"),
    (dict(over=S.Sample(5, q=(0, [1, 2]))), "vectors of 2 numbers, expected 7"),
    (dict(reduce={"gravity": "max"}), "no column 'gravity'; did you mean 'gravity_forces'"),
    (dict(reduce={"gravity_forces": "maximum"}), "expected one of count, min, max"),
    (dict(reduce={"gravity_forces": {"histogram": {"bins": 0, "range": (0, 1)}}}), "'bins' is 0"),
    (dict(store=["gravity"]), "store: there is no column 'gravity'"),
    (dict(block=0), "'block' is 0"),
    (dict(model="arm7.urdf"), "expected a Model"),
    (dict(constraints="set.json"), "expected a ConstraintSet"),
]


@pytest.mark.parametrize("wrong, said", BAD, ids=[said for _, said in BAD])
def test_what_is_wrong_is_said_before_a_study_exists(arm, wrong, said):
    given = {"model": arm, "what": "gravity_forces", "over": S.Sample(5, q="limits"), **wrong}
    with pytest.raises(ValueError, match=".*") as error:
        zw.Study(**given)
    assert said in str(error.value) and "std::" not in str(error.value)


@pytest.mark.parametrize("make, said", [
    (lambda: S.Sample(0, q="limits"), "'states' is 0"), (lambda: S.Sample(5, -1, q="limits"), "'seed' is -1"),
    (lambda: S.Sample(5), "there are no variables"), (lambda: S.Sample(5, v="limits"), "which is for configurations"),
    (lambda: S.Sample(5, q="limit"), "expected 'limits'"), (lambda: S.Sample(5, v=(2, 1)), "low <= high"),
    (lambda: S.Sample(5, v=(0, np.nan)), "not finite"), (lambda: S.Sample(5, v={"normal": (0, -1)}), "standard deviation from 0"),
    (lambda: S.Sample(5, v={"lognormal": (0, 1)}), "expected one of normal"), (lambda: S.Grid({}), "no axes"),
    (lambda: S.Grid({"q.joint1": (0, 1, 0)}), "is 0, expected a whole number from 1"), (lambda: S.Grid({"q.joint1": []}), "expected a vector"),
    (lambda: S.Grid({"q.joint1": [1]}, {"v": [0]}), "no axis is of 'v'"), (lambda: S.Arrays(), "expected arrays by name"),
    (lambda: S.Arrays(q=[[1.0]], v=[[1.0], [2.0]]), "the same number of states"), (lambda: S.Arrays(file="nothing.npy"), "there is no file"),
    (lambda: S.Arrays(q="q.npy"), "is a path"), (lambda: S.Sample(5, targets={"pose": ((0, 0, 0), (1, 1, 1)), "rotation": np.ones((3, 3))}), "rotation matrix"),
])
def test_wrong_factors_are_refused(make, said):
    with pytest.raises(ValueError) as error:
        make()
    assert said in str(error.value)


@pytest.mark.parametrize("change, said", [
    ({"what": None}, "is None"), ({"modle": 1}, "no key 'modle'; did you mean 'model'"), ({"version": 9}, "reads version 1"),
    ({"format": "zwang.model"}, "expected 'zwang.study'"), ({"over": {"samples": 5}}, "expected an object with one of sample"),
    ({"over": {"sample": 5, "sed": 1, "variables": {"q": "limits"}}}, "no key 'sed' beside 'sample'; did you mean 'seed'"),
    ({"what": [{"function": "nowhere:f"}]}, "cannot be imported"), ({"what": [{"function": "json"}]}, "expected module:function"),
    ({"what": [{"function": "json:nothing"}]}, "has no 'nothing'"), ({"model": 3}, "expected the name of a file"),
    ({"constraints": {"constraints": [{"type": "nothing"}]}}, "constraints"),
])
def test_wrong_documents_are_refused(arm, change, said):
    document = {**torques(arm).document(), **change}
    with pytest.raises((ValueError, TypeError)) as error:
        S.from_document(document)
    assert said in str(error.value) or said == "is None"
