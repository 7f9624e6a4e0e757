# SPDX-License-Identifier: BSD-3-Clause
"""Studies on other engines: the same bits as here, whoever is killed. An engine that is not installed is skipped, with its reason."""
import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import zwang as zw
from conftest import ROOT

pytest.importorskip("pyarrow", reason="studies write Parquet: pip install zwang[study]")
pytest.importorskip("cloudpickle", reason="studies are sent by cloudpickle: pip install zwang[study]")

S = zw.study
PACKAGE = pathlib.Path(zw.__file__).resolve().parent
STATES, BLOCK = 40000, 2000
PACKAGES = {"dask:2": "distributed", "ray:2": "ray"}


@pytest.fixture(scope="module", autouse=True)
def workers_find_the_package():
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(PACKAGE.parent)
    yield
    os.environ.pop("PYTHONPATH")
    if before is not None:
        os.environ["PYTHONPATH"] = before


def study_of(arm, states=STATES, block=BLOCK, more=()):
    return zw.Study(arm, what=["inverse_dynamics", S.Call("frame_pose", frame="tool0"), *more], over=S.Sample(states, 1, q="limits", v=(-1, 1), a=(-5, 5)),
                    reduce={"inverse_dynamics": ["mean", "arg_max"]}, block=block)


@pytest.fixture(scope="module")
def expected(arm, tmp_path_factory):
    results = study_of(arm).run(tmp_path_factory.mktemp("local") / "out")
    return results.hash()


@pytest.fixture
def engine(request):
    name = request.param
    if name in PACKAGES:
        try:
            importlib.import_module(PACKAGES[name])
        except ImportError:
            pytest.skip(f"engine {name}: {PACKAGES[name]} is not installed")
    return name


ALL = pytest.mark.parametrize("engine", ["processes:2", "dask:2", "ray:2"], indirect=True)


@ALL
def test_an_engine_gives_the_same_bits(engine, arm, expected, tmp_path):
    factor = 3.0
    results = study_of(arm).run(tmp_path / "out", engine)
    assert results.hash() == expected
    mixed = study_of(arm, 4000, 1000, [S.Function(lambda block: factor * block.q, name="more")]).run(tmp_path / "more", engine)
    np.testing.assert_array_equal(mixed["more"], 3 * zw.random_states(arm, 4000, 1))


def test_threads_and_executors_give_the_same_bits(arm, expected, tmp_path):
    for threads in (1, 2):
        with zw.set_threads(threads):
            assert study_of(arm).run(tmp_path / f"t{threads}").hash() == expected
    with ThreadPoolExecutor(3) as executor:
        assert study_of(arm).run(tmp_path / "threads", executor).hash() == expected


def test_an_engine_that_sees_no_common_folder_sends_its_blocks(arm, expected, tmp_path, monkeypatch):
    from zwang.study import run
    real = run.Payload
    monkeypatch.setattr(run, "Payload", lambda *words: real(*words[:3], str(tmp_path / "elsewhere"), *words[4:]))
    assert study_of(arm).run(tmp_path / "out", "processes:2").hash() == expected


def dies(flag, first):
    """A function whose worker kills itself, once, in the block that begins at a state. It has no name in a module, so that it travels by value:
    workers do not have this file."""
    import os as system  # of its own
    flag, first = str(flag), int(first)

    def die(block):
        if block.first == first:
            try:
                system.close(system.open(flag, system.O_CREAT | system.O_EXCL))
                system.kill(system.getpid(), 9)
            except FileExistsError:
                pass
        return block.q[:, 0]
    return die


def test_a_killed_process_stops_the_study_which_goes_on(arm, tmp_path):
    study = study_of(arm, more=[S.Function(dies(tmp_path / "killed", 5 * BLOCK))])
    with pytest.raises(zw.StudyError, match="lost its workers.*blocks are kept"):
        study.run(tmp_path / "out", "processes:2")
    assert (tmp_path / "killed").exists()
    assert 4 <= len(zw.open_study(tmp_path / "out").done) < study.blocks  # the other worker may have one of the first five
    assert study.run(tmp_path / "out", "processes:2").hash() == study.run(tmp_path / "whole").hash()


@pytest.mark.parametrize("engine", ["dask:2", "ray:2"], indirect=True)
def test_an_engine_tries_again_what_a_killed_worker_had(engine, arm, tmp_path):
    study = study_of(arm, more=[S.Function(dies(tmp_path / "killed", 5 * BLOCK))])
    results = study.run(tmp_path / "out", engine)
    assert (tmp_path / "killed").exists() and results.complete and results.hash() == study.run(tmp_path / "whole").hash()


def test_a_running_scheduler_is_reached_by_its_address(arm, expected, tmp_path):
    distributed = pytest.importorskip("distributed", reason="engine dask: distributed is not installed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        assert study_of(arm).run(tmp_path / "out", "dask://" + cluster.scheduler_address.split("//")[1]).hash() == expected
    with pytest.raises(zw.StudyError, match="no Dask scheduler at 127.0.0.1:1"):
        study_of(arm).run(tmp_path / "none", "dask://127.0.0.1:1")


def mpiexec():
    beside = pathlib.Path(sys.executable).parent / "mpiexec"
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    try:
        importlib.import_module("mpi4py.MPI")
    except (ImportError, RuntimeError) as error:
        pytest.skip(f"engine mpi: {error}")
    if found is None:
        pytest.skip("engine mpi: there is no mpiexec")
    text = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
    return [found, *(["--allow-run-as-root", "--oversubscribe"] if "Open MPI" in text or "prte" in text.lower() else []), "-n", "2"]


def test_mpi_gives_the_same_bits_also_after_a_kill(arm, expected, tmp_path):
    start = mpiexec()
    file, out, many = tmp_path / "study.json", tmp_path / "out", tmp_path / "many"
    file.write_text(json.dumps(study_of(arm).document()))

    def words(out):
        return [*start, sys.executable, "-m", "zwang", "study", str(file), "--engine", "mpi", "--out", str(out), "--quiet"]
    said = subprocess.run(words(out), capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert zw.open_study(out).hash() == expected
    assert said.stdout.count("20 of 20 blocks") == 1  # rank 0 alone speaks
    alone = subprocess.run([sys.executable, "-m", "zwang", "study", str(file), "--engine", "mpi", "--out", str(tmp_path / "one")],
                           capture_output=True, text=True)
    assert alone.returncode == 5 and "expected mpiexec -n N" in alone.stderr

    killed = tmp_path / "killed"
    (tmp_path / "deadly.py").write_text(f"""
import os

def die(block):
    if block.first == {5 * BLOCK} and not os.path.exists({str(killed)!r}):
        open({str(killed)!r}, "x").close()
        os.kill(os.getpid(), 9)
    return block.q[:, 0]
""")
    document = {key: x for key, x in study_of(arm).document().items() if key != "store"}
    file.write_text(json.dumps({**document, "what": ["inverse_dynamics", {"function": "deadly:die"}]}))
    assert subprocess.run(words(many), capture_output=True).returncode != 0
    assert killed.exists() and zw.open_study(many).done == list(range(5))  # one rank serves, block by block
    again = subprocess.run(words(many), capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    assert subprocess.run([sys.executable, "-m", "zwang", "study", str(file), "--out", str(tmp_path / "whole"), "--quiet"]).returncode == 0
    assert zw.open_study(many).hash() == zw.open_study(tmp_path / "whole").hash()


def test_workers_of_another_kind_are_refused_before_the_first_block(arm, tmp_path, monkeypatch):
    from zwang.study import _versions
    monkeypatch.setattr(_versions, "versions", lambda _: {"zwang": zw.__version__, "instruction_set": "v9"})  # of this process alone
    with pytest.raises(zw.StudyError, match="a worker has zwang .*, the driver zwang .* with kernels v9"):
        study_of(arm).run(tmp_path / "out", "processes:1")
    assert zw.open_study(tmp_path / "out").done == []


def test_functions_that_cannot_be_sent_are_refused_before_the_first_block(arm, tmp_path):
    lock = threading.Lock()

    def guarded(block):
        with lock:
            return block.q
    with pytest.raises(ValueError, match="guarded: what it refers to cannot be compared: lock has no bytes of its own"):
        zw.Study(arm, what=guarded, over=S.Sample(10, 1, q="limits"))
    study = zw.Study(arm, what=S.Function(guarded, version="1"), over=S.Sample(10, 1, q="limits"))
    with pytest.raises(zw.StudyError, match="engine processes: guarded cannot be sent to workers"):
        study.run(tmp_path / "out", "processes:1")
    assert study.run(tmp_path / "out").complete  # here it needs not be sent


def test_a_study_that_a_worker_cannot_load_is_refused(arm, tmp_path, monkeypatch):
    np.save(tmp_path / "q.npy", zw.random_states(arm, 10, 1))
    study = zw.Study(arm, what="gravity_forces", over=S.Arrays(file=tmp_path / "q.npy"))
    monkeypatch.setattr(S.Arrays, "recheck", lambda self: self.file.rename(tmp_path / "gone.npy"))  # after the driver has looked
    with pytest.raises(zw.StudyError, match="a worker cannot load the study: ValueError: Arrays: there is no file"):
        study.run(tmp_path / "out", "processes:1")
    monkeypatch.undo()
    with pytest.raises(ValueError, match="there is no file"):
        study.run(tmp_path / "out", "processes:1")


def test_numbers_that_are_no_function_of_the_state_are_noticed(arm, tmp_path):
    def another_each_time(block):
        return block.q[:, 0] + os.getpid()
    study = zw.Study(arm, what=another_each_time, over=S.Sample(10, 1, q="limits"))
    with pytest.raises(zw.StudyError, match="no function of its states"):
        study.run(tmp_path / "out", "processes:1")


def test_memory_does_not_grow_with_the_states(arm, tmp_path):
    """In a process of its own: eight times the states, the same most bytes of arrays at a time, of NumPy and of Arrow."""
    program = """
import sys, tracemalloc, pyarrow, zwang as zw
S = zw.study
arm = zw.load(sys.argv[1])
study = zw.Study(arm, what="inverse_dynamics", over=S.Sample(int(sys.argv[2]), 1, q="limits", v=(-1, 1), a=(-1, 1)), block=4096)
tracemalloc.start()
study.run(sys.argv[3])
print(tracemalloc.get_traced_memory()[1] + pyarrow.default_memory_pool().max_memory())
"""
    most = []
    for states in (10 * 4096, 80 * 4096):
        said = subprocess.run([sys.executable, "-c", program, str(ROOT / "models/arm7.urdf"), str(states), str(tmp_path / str(states))],
                              capture_output=True, text=True)
        assert said.returncode == 0, said.stderr
        most.append(int(said.stdout))
    block = 4096 * (4 * 56 + 1)  # q, v, a and the results of one block
    print(most, block)
    assert most[1] - most[0] < 2 * block
