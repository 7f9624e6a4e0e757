# SPDX-License-Identifier: BSD-3-Clause
"""Studies on other engines: the same bits as here, whoever is killed. An engine that is not installed is skipped, with its reason."""
import importlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time
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


def slow():
    """A function that takes its time. It has no name in a module, so that it travels by value: workers do not have this file."""
    import time as clock  # of its own

    def wait(block):
        clock.sleep(0.15)
        return block.q[:, 0]
    return wait


def children(of):
    """Of Linux: (process, command line) of all below this one."""
    tree, names = {}, {}
    for place in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = int((place / "stat").read_text().rsplit(")", 1)[1].split()[1])
            names[int(place.name)] = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except (OSError, IndexError):  # it has ended
            continue
        tree.setdefault(parent, []).append(int(place.name))
    found, todo = [], [of]
    while todo:
        more = tree.get(todo.pop(), [])
        todo += more
        found += [(pid, names[pid]) for pid in more]
    return found


def kill_a_worker(out, word):
    """When some blocks are there, one process below this one whose command line has the word."""
    def wait_and_kill():
        end = time.monotonic() + 60
        while len(list(out.glob("blocks/*/*.parquet"))) < 3 and time.monotonic() < end:
            time.sleep(0.01)
        for pid, args in children(os.getpid()):
            if word in args and "resource_tracker" not in args:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
                return
    killed = []
    thread = threading.Thread(target=wait_and_kill)
    thread.start()
    return thread, killed


def test_a_killed_process_stops_the_study_which_goes_on(arm, tmp_path):
    study = study_of(arm, more=[S.Function(slow())])
    thread, killed = kill_a_worker(tmp_path / "out", "spawn_main")
    with pytest.raises(zw.StudyError, match="lost its workers.*blocks are kept"):
        study.run(tmp_path / "out", "processes:2")
    thread.join()
    assert killed and not zw.open_study(tmp_path / "out").complete
    assert study.run(tmp_path / "out", "processes:2").hash() == study.run(tmp_path / "whole").hash()


@pytest.mark.parametrize("engine, word", [("dask:2", "spawn_main"), ("ray:2", "ray::work")], indirect=["engine"])
def test_an_engine_tries_again_what_a_killed_worker_had(engine, word, arm, tmp_path):
    study = study_of(arm, more=[S.Function(slow())])
    thread, killed = kill_a_worker(tmp_path / "out", word)
    results = study.run(tmp_path / "out", engine)
    thread.join()
    assert killed and results.complete and results.hash() == study.run(tmp_path / "whole").hash()


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
    said = subprocess.run(words(out), capture_output=True, text=True, timeout=120)
    assert said.returncode == 0, said.stderr
    assert zw.open_study(out).hash() == expected
    assert said.stdout.count("20 of 20 blocks") == 1  # rank 0 alone speaks
    alone = subprocess.run([sys.executable, "-m", "zwang", "study", str(file), "--engine", "mpi", "--out", str(tmp_path / "one")],
                           capture_output=True, text=True, timeout=120)
    assert alone.returncode == 5 and "expected mpiexec -n N" in alone.stderr

    study = study_of(arm, 40 * STATES, BLOCK)  # long enough to be killed
    file.write_text(json.dumps(study.document()))
    first = subprocess.Popen(words(many), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 120
    while first.poll() is None and len(list(many.glob("blocks/*/*.parquet"))) < 5 and time.monotonic() < end:
        time.sleep(0.005)
    ranks = [pid for pid, args in children(first.pid) if "-m zwang study" in args]
    assert first.poll() is None and len(ranks) >= 2
    os.kill(max(ranks), signal.SIGKILL)
    first.wait(timeout=60)
    assert 5 <= len(zw.open_study(many).done) < study.blocks
    again = subprocess.run(words(many), capture_output=True, text=True, timeout=300)
    assert again.returncode == 0, again.stderr
    assert zw.open_study(many).hash() == study.run(tmp_path / "whole").hash()


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
        return block.q[:, 0] + time.monotonic_ns()
    study = zw.Study(arm, what=another_each_time, over=S.Sample(10, 1, q="limits"))
    with pytest.raises(zw.StudyError, match="no function of its states"):
        study.run(tmp_path / "out", "processes:1")


def test_memory_does_not_grow_with_the_states(arm, tmp_path):
    """In a process of its own: eight times the states, the same memory but for what Python's allocators keep."""
    program = """
import resource, sys, zwang as zw
S = zw.study
arm = zw.load(sys.argv[1])
zw.Study(arm, what="inverse_dynamics", over=S.Sample(int(sys.argv[2]), 1, q="limits", v=(-1, 1), a=(-1, 1)), block=4096).run(sys.argv[3])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    peak = []
    for states in (10 * 4096, 80 * 4096):
        said = subprocess.run([sys.executable, "-c", program, str(ROOT / "models/arm7.urdf"), str(states), str(tmp_path / str(states))],
                              capture_output=True, text=True, timeout=300)
        assert said.returncode == 0, said.stderr
        peak.append(int(said.stdout) / 1024)
    bytes_of_all = 80 * 4096 * 57 / 2**20
    assert peak[1] - peak[0] < 0.3 * bytes_of_all, (peak, bytes_of_all)
