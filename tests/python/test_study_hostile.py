# SPDX-License-Identifier: BSD-3-Clause
"""Studies against folders, documents and numbers that were made to break them."""
import base64
import json
import os
import random
import shutil

import numpy as np
import pytest
import zwang as zw
from conftest import ROOT, torques

pa = pytest.importorskip("pyarrow", reason="studies write Parquet: pip install zwang[study]")
import pyarrow.parquet as pq  # noqa: E402
from zwang.study import store  # noqa: E402

S = zw.study


def changed_metadata(path, change):
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({**table.schema.metadata, **change(table.schema.metadata)}), path)


# --- what the hash is of ------------------------------------------------------------------------------------------------


def test_order_counts_where_it_changes_numbers(arm):
    a, b = (0.0, 1.0, 3), (0.0, 1.0, 4)
    one = zw.Study(arm, what="gravity_forces", over=S.Grid({"q.joint1": a, "q.joint2": b}))
    two = zw.Study(arm, what="gravity_forces", over=S.Grid({"q.joint2": b, "q.joint1": a}))
    assert one.hash != two.hash and S.from_document(json.loads(json.dumps(two.document()))).hash == two.hash
    words = {"inverse_dynamics": ["min"], "inverse_dynamics.status": ["max"]}
    assert torques(arm, reduce=words).hash != torques(arm, reduce=dict(reversed(words.items()))).hash


def test_order_of_parameters_does_not_count(arm, tmp_path):
    """A payload comes onto the changed mass, whoever is named first."""
    one = S.Grid({"mass:link3": [1.0, 2.0], "payload:link3": [0.5]})
    two = S.Grid({"payload:link3": [0.5], "mass:link3": [1.0, 2.0]})
    found = [zw.Study(arm, what="gravity_forces", over=[g, S.Sample(4, 1, q="limits")]).run(tmp_path / str(k))["gravity_forces"]
             for k, g in enumerate((one, two))]
    np.testing.assert_array_equal(*found)


# --- folders ------------------------------------------------------------------------------------------------------------


def test_blocks_that_were_swapped_copied_or_edited(arm, tmp_path):
    study = torques(arm, reduce={"inverse_dynamics": "mean"}, store=["inverse_dynamics"])
    out = tmp_path / "out"
    whole = study.run(out).hash()
    one, two, three, four = (store.block_path(out, k) for k in (1, 2, 3, 4))
    os.replace(one, tmp_path / "kept")
    os.replace(two, one)
    os.replace(tmp_path / "kept", two)
    assert zw.open_study(out).done == [0, 3, 4, 5, 6, 7]  # a block knows its number

    def partials(metadata):
        kept = json.loads(metadata[b"zwang.partials"])
        kept[0]["mean"]["bytes"] = base64.b64encode(np.zeros(7).tobytes()).decode()
        return {b"zwang.partials": json.dumps(kept).encode()}
    changed_metadata(three, partials)
    columns = pq.read_table(four)
    other = columns.set_column(0, columns.schema.field(0), columns.column(0).take(pa.array(range(len(columns)))[::-1]))
    pq.write_table(other, four)
    assert zw.open_study(out).check() == [1, 2, 3, 4]
    assert study.run(out, check=True).check() == [] and zw.open_study(out).hash() == whole


def test_a_block_that_cannot_be_read_is_said_and_computed_anew(arm, tmp_path):
    study, out = torques(arm), tmp_path / "out"
    whole = study.run(out).hash()
    path = store.block_path(out, 3)
    data = bytearray(path.read_bytes())
    data[200:400] = bytes(200)
    path.write_bytes(data)
    with pytest.raises(zw.StudyError, match="block 3 cannot be read.*check=True"):
        zw.open_study(out).numpy()
    assert study.run(out, check=True).hash() == whole and len(zw.open_study(out)["inverse_dynamics"]) == 1000


@pytest.mark.parametrize("key, value", [("states", -1), ("states", "many"), ("block", 0), ("blocks", 3), ("shape", [7]), ("columns", [{}]),
                                        ("columns", 3), ("reductions", {"q": ["most"]}), ("versions", []), ("study", None), ("format", "x")])
def test_manifests_that_are_none(arm, tmp_path, key, value):
    out = tmp_path / "out"
    torques(arm, 10).run(out)
    manifest = json.loads((out / "manifest.json").read_text())
    (out / "manifest.json").write_text(json.dumps({**manifest, key: value}))
    for act in (lambda: zw.open_study(out), lambda: torques(arm, 10).run(out)):
        with pytest.raises(zw.StudyError, match="manifest"):
            act()


@pytest.mark.parametrize("opening, closing", [("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")])
@pytest.mark.parametrize("levels", [99, 101, 900, 5000, 1_000_000])
def test_files_of_brackets_are_refused(arm, tmp_path, opening, closing, levels):
    """Where some reader would run out of stack: json's own, or one of those behind it. Closed or not."""
    out = tmp_path / "out"
    torques(arm, 10).run(out)
    for text in (levels * opening, levels * opening + "1" + levels * closing):
        (out / "manifest.json").write_text(text)
        with pytest.raises(zw.StudyError, match="manifest"):
            zw.open_study(out)
        (tmp_path / "study.json").write_text(text)
        with pytest.raises(ValueError, match=r"study\.json"):
            S.read_study(tmp_path / "study.json")


def test_a_driver_killed_before_its_manifest(arm, tmp_path):
    study, out = torques(arm, 10), tmp_path / "out"
    out.mkdir()
    (out / "study.json").write_text(json.dumps(study.document()))
    (out / ".manifest.json.1234").write_text("half of it")
    assert study.run(out).complete
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "study.json").write_text(json.dumps(torques(arm, 11).document()))
    with pytest.raises(zw.StudyError, match="other files .study.json."):
        study.run(foreign)
    assert json.loads((foreign / "study.json").read_text())["over"][0]["sample"] == 11


def test_a_folder_that_is_a_link_and_one_that_moves(arm, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    whole = torques(arm).run(tmp_path / "link").hash()
    shutil.move(tmp_path / "real", tmp_path / "moved")
    assert torques(arm).run(tmp_path / "moved").hash() == whole
    with pytest.raises(zw.StudyError, match="no folder of a study|link"):
        zw.open_study(tmp_path / "link")


def test_a_folder_without_rights(arm, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    out = tmp_path / "out"
    out.mkdir(mode=0o500)
    with pytest.raises(zw.StudyError, match="Permission denied"):
        torques(arm).run(out)


def test_blocks_of_other_lengths_versions_and_sizes(arm, tmp_path):
    study, out = torques(arm), tmp_path / "out"
    whole = study.run(out).hash()
    short = store.block_path(out, 2)
    table = pq.read_table(short)
    pq.write_table(table.slice(0, 1), short)
    changed_metadata(store.block_path(out, 4), lambda _: {b"zwang.instruction_set": b"v9"})
    found = zw.open_study(out)
    assert found.done == [0, 1, 3, 5, 6, 7]
    assert study.run(out).hash() == whole
    manifest = json.loads((out / "manifest.json").read_text())
    (out / "manifest.json").write_text(json.dumps({**manifest, "block": 126}))
    assert zw.open_study(out).done == [0] or zw.open_study(out).done == []


@pytest.mark.filterwarnings("ignore:1 of 8 blocks")
def test_a_rotten_block_that_cannot_be_computed_anew_is_not_read(arm, tmp_path, monkeypatch):
    fails = []

    def at_times(block):
        if fails and block.first == 3 * 128:
            raise ValueError("not today")
        return block.q
    study, out = zw.Study(arm, what=S.Function(at_times, version="1"), over=S.Sample(1000, 1, q="limits"), block=128), tmp_path / "out"
    study.run(out)
    path = store.block_path(out, 3)
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(data)
    fails.append(1)
    results = study.run(out, check=True)
    assert not results.complete and 3 not in results.done


@pytest.mark.parametrize("left", [["blocks"], ["blocks", "failures", ".lock"], ["failures", "study.json"]])
def test_what_a_kill_at_the_beginning_leaves_is_no_other_study(arm, tmp_path, left):
    study, out = torques(arm, 10), tmp_path / "out"
    out.mkdir()
    for name in left:
        if name == "study.json":
            (out / name).write_text(json.dumps(study.document()))
        elif name[0] == ".":
            (out / name).write_text("")
        else:
            (out / name).mkdir()
    assert study.run(out).complete


def test_a_file_that_is_written_to_meanwhile(arm, tmp_path):
    path = tmp_path / "q.npy"
    np.save(path, zw.random_states(arm, 80, 1))
    study = zw.Study(arm, what="gravity_forces", over=S.Arrays(file=path), block=10)

    def spoils(done, _):
        if done == 20:
            np.save(path, np.zeros((3, 7)))  # shorter, too
    with pytest.warns(UserWarning, match="has been written to while the study runs|has been cut short"):
        results = study.run(tmp_path / "out", progress=spoils)
    assert not results.complete
    q = zw.random_states(arm, 80, 1)
    for first, columns in results:
        np.testing.assert_array_equal(columns["gravity_forces"], zw.gravity_forces(arm, q[first:first + 10]))
    with pytest.raises(ValueError, match="has changed"):
        study.run(tmp_path / "out")


def test_a_folder_that_moves_during_the_run(arm, tmp_path):
    def moves(done, _):
        if done == 256:
            (tmp_path / "out").rename(tmp_path / "moved")
    with pytest.raises(zw.StudyError, match="No such file"):
        torques(arm).run(tmp_path / "out", progress=moves)
    assert not (tmp_path / "out").exists()
    assert torques(arm).run(tmp_path / "moved").complete


# --- what cannot be meant -------------------------------------------------------------------------------------------------

MEANT = [(lambda arm: zw.Study(arm, what=["inverse_dynamics", "v"], over=S.Sample(5, q="limits", v=(0, 1), a=0, tua=(0, 1))), "reads the variable 'tua'; did you mean"),
         (lambda arm: zw.Study(arm, what="inverse_dynamics", over=[S.Grid({"friction:joint1": [0.0, 2.0]}), S.Sample(5, q="limits", v=(0, 1), a=0)]),
          "no result depends on the parameter 'friction:joint1' at the first states; joint_effects"),
         (lambda arm: zw.Study(arm, what="mass_matrix", over=[S.Grid({"gravity:z": [0.0, 2.0]}), S.Sample(5, q="limits")]), "no result depends on"),
         (lambda arm: zw.Study(arm, what="q", over=S.Sample(5, q="limits"), reduce={"q": []}), "expected a reduction or a list"),
         (lambda arm: zw.Study(arm, what="q", over=S.Sample(5, q="limits"), reduce={"q": ["min", "min"]}), "'min' twice"),
         (lambda arm: zw.Study(arm, what="q", over=S.Sample(5, q="limits"), reduce=3), "expected a dictionary"),
         (lambda arm: zw.Study(arm, what="q", over=S.Sample(5, q="limits"), store=3), "expected a list"),
         (lambda arm: zw.Study(arm, what=None, over=S.Sample(5, q="limits")), "expected a list"),
         (lambda arm: zw.Study(arm, what="q", over=None), "expected a list"),
         (lambda arm: zw.Study(arm, what="q", over=S.Sample(5, q="limits"), name=3), "expected a text"),
         (lambda arm: zw.Study(arm, what=S.Call("inverse_dynamics", v=np.nan * np.ones(7), a=np.zeros(7)), over=S.Sample(5, q="limits")), "not finite"),
         (lambda arm: zw.Study(arm, what="q", over=S.Sample(10**15, q="limits"), block=10), "expected at most 1e+07"),
         (lambda arm: zw.Study(arm, what="q", over=S.Sample(5, q="limits"), reduce={"q": {"histogram": {"bins": 90_000, "range": (0, 1)}}}), "more than"),
         (lambda arm: zw.Study(arm, what=["q", "mass:link3"], over=S.Sample(5, q="limits")), "does not go over a parameter 'mass:link3'"),
         (lambda arm: S.Grid({"q.joint1": (0, np.inf, 3)}), "not finite"), (lambda arm: S.Grid({"q.joint1": (-1e308, 1.7e308, 3)}), "difference"),
         (lambda arm: S.Grid({"q.joint1": ([0, 1], 2, 3)}), "expected (low, high, n)"), (lambda arm: S.Grid({"q.joint1": (0, 1, 2**63)}), "expected"),
         (lambda arm: S.Arrays("states.npz"), "expected arrays by name"),
         (lambda arm: S.Arrays(q=[[0.0], [np.nan]]), "the first at [1, 0]"),
         (lambda arm: S.Call("frame_pose", frame="tool0", keep=3), "expected texts")]


@pytest.mark.parametrize("make, said", MEANT, ids=[said for _, said in MEANT])
def test_what_cannot_be_meant_is_refused(arm, make, said):
    with pytest.raises(ValueError) as error:
        make(arm)
    assert said in str(error.value)


def test_degrees_are_noticed(arm):
    with pytest.warns(UserWarning, match="'q' of joint1 reaches 1000 rad, which are 159 turns: are these degrees, or was .low, high, n. meant"):
        zw.Study(arm, what="gravity_forces", over=S.Grid({"q.joint1": [-1, 1, 1000]}))


def test_room_on_the_disk_is_looked_at_first(arm, tmp_path):
    with pytest.raises(zw.StudyError, match="the results take 5.6e.* GB, the disk has"):
        zw.Study(arm, what="q", over=S.Sample(10**14, q="limits"), block=10**8).run(tmp_path / "out")


# --- documents ----------------------------------------------------------------------------------------------------------


def mutated(given, rng):
    """The document with one value or key changed."""
    document = json.loads(json.dumps(given))
    places = []

    def walk(x):
        for key in (x if isinstance(x, dict) else range(len(x))):
            places.append((x, key))
            if isinstance(x[key], (dict, list)):
                walk(x[key])
    walk(document)
    place, key = rng.choice(places)
    kind = rng.randrange(4)
    if kind == 0 and isinstance(place, dict):
        place[rng.choice(["file", "q", "name", "sample", "call"])] = place.pop(key)
    elif kind == 1:
        del place[key]
    else:
        place[key] = rng.choice([None, True, -1, 0, 2**70, 1e308, 1e-320, "", "q", "limits", [], {}, [[]], [1, 2], {"normal": 1}, "x" * 1000])
    return document


def test_documents_with_a_mistake_raise_value_errors(arm):
    """800 documents, each with one thing changed: a study, or ValueError (TypeError for what is no document of one)."""
    study = torques(arm, 50, reduce={"inverse_dynamics": ["mean", {"histogram": {"bins": 3, "range": (0, 1)}}]})
    document = study.document()
    document = {**document, "model": str(ROOT / "models/arm7.urdf"),
                "over": document["over"] + [S.Grid({"mass:link3": [1.0, 2.0], "gravity:z": (-9.0, 0.0, 2)}).document()]}
    rng, refused = random.Random(1), 0
    for _ in range(800):
        wrong = mutated(document, rng)
        try:
            S.from_document(wrong, ROOT).document()
        except ValueError as error:
            refused += 1
            assert "std::" not in str(error) and "nb_" not in str(error), error
        except (FileNotFoundError, IsADirectoryError):  # of the model
            refused += 1
    assert refused > 300


# --- numbers ------------------------------------------------------------------------------------------------------------


def test_reductions_of_words_and_of_great_whole_numbers(arm, tmp_path):
    def words(block):
        return np.array(["left" if x > 0 else "right" for x in block.q[:, 0]])

    def great(block):
        return 2**62 + np.arange(block.first, block.first + len(block))
    over = S.Sample(100, 1, q="limits")
    with pytest.raises(ValueError, match="the column 'words' has words, which have no max"):
        zw.Study(arm, what=words, over=over, reduce={"words": "max"})
    results = zw.Study(arm, what=[words, great], over=over, block=30, reduce={"great": ["min", "max", "arg_max", "count"]}).run(tmp_path / "out")
    assert results.reduced["great"] == {"min": 2**62, "max": 2**62 + 99, "arg_max": 99, "count": 100}
    assert set(results["words"]) == {"left", "right"}


def test_histograms_at_their_edges(arm, tmp_path):
    values = np.array([-np.inf, -1.0, np.nextafter(0, -1), 0.0, 0.3, np.nextafter(1, 0), 1.0, np.nextafter(1, 2), np.inf, np.nan])

    def edges(block):
        return values[block.first:block.first + len(block)]
    found = zw.Study(arm, what=edges, over=S.Sample(10, 1, q="limits"), block=3, reduce={"edges": {"histogram": {"bins": 10, "range": (0, 1)}}})
    kept = found.run(tmp_path / "out").reduced["edges"]["histogram"]
    counts, _ = np.histogram(values[np.isfinite(values)], 10, (0, 1))
    np.testing.assert_array_equal(kept["counts"], counts)
    assert (kept["below"], kept["above"]) == (2, 1)  # of finite numbers
    with pytest.raises(ValueError, match="expected low < high"):
        S.Study(arm, what="q", over=S.Sample(2, 1, q="limits"), reduce={"q": {"histogram": {"bins": 3, "range": (-1e308, 1e308)}}})


def test_means_of_huge_numbers_do_not_depend_on_blocks(arm, tmp_path):
    def huge(block):
        return np.where(np.arange(block.first, block.first + len(block)) % 2, 1.7e308, -1.7e308)

    def same(block):
        return np.full(len(block), 1.7e308)
    for block in (1, 2, 3, 10):
        reduced = zw.Study(arm, what=[huge, same], over=S.Sample(10, q="limits"), block=block, reduce={"huge": "mean", "same": "mean"}).run(tmp_path / str(block)).reduced
        assert abs(reduced["huge"]["mean"]) < 1e293 and reduced["same"]["mean"] == pytest.approx(1.7e308, rel=1e-14)


def test_the_study_keeps_its_own_numbers(arm, tmp_path):
    a, q = np.ones(7), np.zeros((4, 7))
    study = zw.Study(arm, what=[S.Call("inverse_dynamics", v=np.zeros(7), a=a), "q"], over=S.Arrays(q=q))
    a[:], q[:] = 5, 1
    results = study.run(tmp_path / "out")
    np.testing.assert_array_equal(results["q"], np.zeros((4, 7)))
    np.testing.assert_array_equal(results["inverse_dynamics"], zw.inverse_dynamics(arm, np.zeros((4, 7)), np.zeros((4, 7)), np.ones((4, 7))))


def test_parts_of_derivatives_repeat(tmp_path):
    dog = zw.load(ROOT / "models/quadruped.urdf", root="floating")
    feet = zw.ConstraintSet(dog)
    feet.add_frame("foot", frame="LF_foot", rows="linear")
    study = zw.Study(dog, feet, S.Call("solve_derivatives", keep=["acceleration.q"]), S.Sample(64, 1, q="limits", v=(-1, 1), tau=(-5, 5)), block=16)
    assert [c.name for c in study.columns] == ["solve_derivatives.acceleration.q", "solve_derivatives.status"]
    assert study.run(tmp_path / "one").hash() == study.run(tmp_path / "two").hash()


def test_numbers_that_columns_do_not_hold(arm):
    for wrong, said in ((np.uint64(2**63), "uint64 are stored as int64"), (np.longdouble("1e4000"), "stored as float64")):
        with pytest.raises(ValueError, match=said):
            zw.Study(arm, what=S.Function(lambda block: np.full(len(block), wrong), version="1"), over=S.Sample(3, q="limits"))
    swapped = zw.Study(arm, what=lambda block: block.q.astype(">f8"), over=S.Sample(3, q="limits"))
    assert swapped.columns[0].type == "float64"


MODELS = ["arm7.urdf", "quadruped.urdf", "humanoid.urdf"]


@pytest.mark.parametrize("root", ["fixed", "floating"])
@pytest.mark.parametrize("name", MODELS)
def test_models_of_all_kinds_travel(name, root, tmp_path):
    model = zw.load(ROOT / "models" / name, root=root)
    over = S.Sample(50, 2, q="limits", v=(-1, 1), a=(-1, 1))
    study = zw.Study(model, what=["inverse_dynamics", "mass_matrix", "gravity_forces"], over=over, block=20)
    results = study.run(tmp_path / "out")
    q = zw.random_states(model, 50, 2)
    np.testing.assert_array_equal(results["gravity_forces"], zw.gravity_forces(model, q))
    np.testing.assert_array_equal(results["mass_matrix"], zw.mass_matrix(model, q))
    assert zw.open_study(tmp_path / "out").study.hash == study.hash


def test_a_robot_without_coordinates(tmp_path):
    (tmp_path / "block.urdf").write_text('<robot name="b"><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
                                         'ixz="0" iyz="0"/></inertial></link></robot>')
    block = zw.load(tmp_path / "block.urdf")
    assert [c.name for c in zw.Study(block, what="gravity_forces", over=S.Sample(10, q="limits")).columns] == ["gravity_forces.status"]
    with pytest.raises(ValueError, match="has no results"):
        zw.Study(block, what="q", over=S.Sample(10, q="limits"))
    study = zw.Study(block, what=S.Call("frame_pose", frame="b"), over=S.Sample(10, q="limits"))
    assert study.run(tmp_path / "out")["frame_pose"].shape == (10, 4, 4)
