# SPDX-License-Identifier: BSD-3-Clause
"""The folder of a study: resuming, refusals, failures, kills; and the command."""
import errno
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest
import zwang as zw
from conftest import ROOT, torques

pytest.importorskip("pyarrow", reason="studies write Parquet: pip install zwang[study]")
from zwang.study import _versions, description, store

S = zw.study
PACKAGE = pathlib.Path(zw.__file__).resolve().parent


def raises_at_500(block):
    if block.first <= 500 < block.first + len(block):
        raise RuntimeError("not this one")
    return block.q[:, 0]


# --- resuming, refusing, failing --------------------------------------------------------------------------------------------


def test_what_is_there_is_not_computed_again(arm, tmp_path):
    study = torques(arm)
    first = study.run(tmp_path / "out")
    whole = first.hash()
    for k in range(8):
        os.utime(store.block_path(first.folder, k), (k, k))  # seconds of 1970: what is written again is younger
    store.block_path(first.folder, 2).unlink()
    path = store.block_path(first.folder, 5)
    path.write_bytes(path.read_bytes()[:-100])  # cut short
    os.utime(path, (5, 5))
    again = torques(arm).run(tmp_path / "out")
    assert again.hash() == whole
    changed = [k for k in range(8) if store.block_path(first.folder, k).stat().st_mtime != k]
    assert changed == [2, 5]


def test_numbers_that_rot_are_found(arm, tmp_path):
    results = torques(arm).run(tmp_path / "out")
    path = store.block_path(results.folder, 3)
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(data)
    assert zw.open_study(tmp_path / "out").check() == [3]


def test_folders_of_something_else_are_refused_and_left_alone(arm, tmp_path, monkeypatch):
    out = tmp_path / "out"
    torques(arm).run(out)
    before = sorted((p, p.read_bytes()) for p in out.rglob("*") if p.is_file() and p.name[0] != ".")
    with pytest.raises(zw.StudyError, match="holds another study.*differs in over"):
        torques(arm, states=2000).run(out)
    with pytest.raises(zw.StudyError, match="differs in block"):
        torques(arm, block=100).run(out)
    with monkeypatch.context() as patch:
        patch.setattr(_versions, "versions", lambda _: {"zwang": "9.9", "instruction_set": zw.instruction_set()})
        with pytest.raises(zw.StudyError, match="begun with zwang 0.*this is 9.9"):
            torques(arm).run(out)
    assert before == sorted((p, p.read_bytes()) for p in out.rglob("*") if p.is_file() and p.name[0] != ".")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/thesis.tex").write_text("all of it")
    with pytest.raises(zw.StudyError, match="has other files .thesis.tex."):
        torques(arm).run(tmp_path / "other")
    (tmp_path / "file").write_text("")
    with pytest.raises(zw.StudyError, match="file"):
        torques(arm).run(tmp_path / "file")
    manifest = json.loads((out / "manifest.json").read_text())
    (out / "manifest.json").write_text(json.dumps({**manifest, "version": 7}))
    with pytest.raises(zw.StudyError, match="another version"):
        torques(arm).run(out)
    with pytest.raises(zw.StudyError, match="no folder of a study"):
        zw.open_study(tmp_path)


def test_two_drivers_do_not_write_into_one_folder(arm, tmp_path):
    study = torques(arm)
    with store.Folder(tmp_path / "out", study), pytest.raises(zw.StudyError, match="another run writes here"):
        study.run(tmp_path / "out")
    assert study.run(tmp_path / "out").complete


def test_a_block_that_raises_is_recorded_and_tried_again(arm, tmp_path):
    study = zw.Study(arm, what=[S.Function(raises_at_500, version="1")], over=S.Sample(1000, 1, q="limits"), block=128)
    with pytest.warns(UserWarning, match="1 of 8 blocks of 'study' failed, the first with: RuntimeError: not this one"):
        results = study.run(tmp_path / "out")
    failure, = results.failures
    assert failure["block"] == 3 and failure["state"] == 500 and "not this one" in failure["reason"] and "raises_at_500" in failure["details"]
    assert not results.complete and results.status == "incomplete" and len(results.done) == 7
    with pytest.raises(zw.StudyError, match="1 of 8 blocks are missing; 1 failed, the first with: RuntimeError: not this one"):
        results["raises_at_500"]
    with pytest.raises(zw.StudyError, match="block 3, state 500: .*not this one"):
        study.run(tmp_path / "fast", fail_fast=True)
    mended = zw.Study(arm, what=[S.Function(lambda block: block.q[:, 0], name="raises_at_500", version="1")], over=S.Sample(1000, 1, q="limits"), block=128)
    done = mended.run(tmp_path / "out")
    assert done.complete and done.failures == []


def test_a_full_disk_stops_the_study_and_keeps_what_is_there(arm, tmp_path, monkeypatch):
    real, written = store.write_block, []

    def full(*words):
        if len(written) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written.append(1)
        real(*words)
    monkeypatch.setattr(store, "write_block", full)
    with pytest.raises(zw.StudyError, match="block 3 cannot be written: the disk is full. 3 of 8 blocks are kept"):
        torques(arm).run(tmp_path / "out")
    monkeypatch.undo()
    assert zw.open_study(tmp_path / "out").status == "stopped" and zw.open_study(tmp_path / "out").done == [0, 1, 2]
    assert torques(arm).run(tmp_path / "out").complete


@pytest.mark.skipif(os.geteuid() != 0, reason="a small file system is mounted by root alone")
def test_a_disk_that_is_really_full(arm, tmp_path, monkeypatch):
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(small)], capture_output=True).returncode != 0:
        pytest.skip("nothing can be mounted here")
    try:
        with pytest.raises(zw.StudyError, match="the results take 0.00114 GB, the disk has 0.0002.* GB left"):
            torques(arm, 20000, 1000).run(small / "out")
        monkeypatch.setattr(shutil, "disk_usage", lambda place: shutil._ntuple_diskusage(1e9, 0, 1e9))  # the room is taken meanwhile
        with pytest.raises(zw.StudyError, match="the disk is full.*blocks are kept"):
            torques(arm, 20000, 1000).run(small / "out")
        found = zw.open_study(small / "out")
        assert found.done and found.check() == [k for k in range(20) if k not in found.done]
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)


def test_progress_and_interruption(arm, tmp_path):
    told = []
    torques(arm).run(tmp_path / "a", progress=lambda done, all_: told.append((done, all_)))
    assert told[-1] == (1000, 1000) and [x for x, _ in told] == sorted(x for x, _ in told)

    def stop(done, _):
        if done >= 500:
            raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        torques(arm).run(tmp_path / "b", progress=stop)
    found = zw.open_study(tmp_path / "b")
    assert found.status == "stopped" and 0 < len(found.done) < 8
    assert torques(arm).run(tmp_path / "b").hash() == zw.open_study(tmp_path / "a").hash()


def command(*words, **more):
    env = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    return subprocess.run([sys.executable, "-m", "zwang", "study", *map(str, words)], capture_output=True, text=True, env=env, **more)


def test_a_study_in_the_folder_of_its_results_stays_as_it_was_written(arm, tmp_path):
    file = tmp_path / "study.json"
    text = json.dumps(torques(arm).document(), indent=3)
    file.write_text(text)
    assert command(file, "--out", tmp_path).returncode == 0 and file.read_text() == text


def test_the_command(arm, tmp_path):
    file = tmp_path / "study.json"
    file.write_text(json.dumps(torques(arm, reduce={"inverse_dynamics": "max"}).document()))
    said = command(file, "--dry-run", "--json")
    facts = json.loads(said.stdout)
    assert said.returncode == 0 and facts["states"] == 1000 and facts["blocks"] == 8 and not (tmp_path / "out").exists()
    said = command(file, "--out", tmp_path / "out")
    assert said.returncode == 0 and "8 of 8 blocks" in said.stdout and "inverse_dynamics max" in said.stdout, said.stderr
    found = json.loads(command(file, "--out", tmp_path / "out", "--json").stdout)
    assert found["result"] == zw.open_study(tmp_path / "out").hash() and len(found["reduced"]["inverse_dynamics"]["max"]) == 7
    assert command("-", "--out", tmp_path / "out", input=file.read_text()).returncode == 0
    for words, code, said_ in (((file,), 1, "--out is missing"), ((tmp_path / "no.json", "--out", "x"), 5, "No such file"),
                               ((file, "--out", tmp_path), 5, "has other files"), ((file, "--out", tmp_path / "x", "--engine", "spark"), 1, "no engine 'spark'"),
                               ((file, "--out", tmp_path / "x", "--engine", "dask:0"), 1, "expected dask:N"), ((file, "--out", "x", "--threads", "0"), 1, "--threads")):
        result = command(*words)
        assert result.returncode == code and said_ in result.stderr, (words, result.returncode, result.stderr)
    (tmp_path / "talks.py").write_text("def talks(block):\n    print('hello')\n    if block.first == 10:\n        raise ValueError('no')\n    return block.q\n")
    file.write_text(json.dumps({"model": str(ROOT / "models/arm7.urdf"), "what": {"function": "talks:talks"}, "block": 10,
                                "over": {"grid": {"q.joint1": {"from": -100, "to": 1, "count": 30}}}}))
    said = command(file, "--out", tmp_path / "talks", "--json")
    assert said.returncode == 3 and json.loads(said.stdout)["failures"][0]["reason"] == "no"
    assert "zwang: Study: 'q' of joint1 reaches 100 rad" in said.stderr and "Warning" not in said.stderr
    file.write_text("{")
    assert command(file, "--out", "x").returncode == 2


DIES = """
import os, re, signal, sys
moments, last = [], sys.argv.pop(1)

def moment(event, words):  # of audit hooks: before a file is opened to be written, renamed, removed, or a folder made
    writes = event == "open" and isinstance(words[2], int) and words[2] & os.O_ACCMODE != os.O_RDONLY
    if not (writes or event in ("os.rename", "os.remove", "os.mkdir", "half")) or not str(words[0]).startswith(out):
        return
    moments.append(event + " " + re.sub("[.][0-9a-f]{8}$", ".part", str(words[0])[len(out):]))
    if moments[-1] == last:
        if event == "half":
            os.truncate(words[0], os.path.getsize(words[0]) // 2)
        os.kill(os.getpid(), signal.SIGKILL)

import pyarrow.parquet, zwang.__main__
from zwang.study import run
run._MANIFEST_SECONDS = 0.0  # after each block
out, write, sync = sys.argv[-2], pyarrow.parquet.write_table, os.fsync
pyarrow.parquet.write_table = lambda table, path, **more: (write(table, path, **more), moment("half", (path,)))
os.fsync = lambda file: (sync(file), moment("half", (os.readlink(f"/proc/self/fd/{file}"),)))
sys.addaudithook(moment)
status = zwang.__main__.main()
print(*moments, sep="\\n")
sys.exit(status)
"""


def test_a_driver_killed_at_any_moment_loses_only_what_was_on_its_way(arm, tmp_path):
    file, study = tmp_path / "study.json", torques(arm)
    file.write_text(json.dumps(study.document()))
    whole = study.run(tmp_path / "whole").hash()

    def killed_at(moment, out):
        return subprocess.run([sys.executable, "-c", DIES, moment, "study", str(file), "--out", str(out), "--quiet"], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)})
    said = killed_at("never", tmp_path / "out")
    moments = [line for line in said.stdout.splitlines() if line.split()[0] in ("open", "half", "os.rename", "os.remove", "os.mkdir")]
    chosen = [x for x in dict.fromkeys(moments) if "/0000" not in x or "/000003" in x or "/.000003" in x]
    assert said.returncode == 0 and len(chosen) > 12 and {x.split()[0] for x in chosen} == {"open", "half", "os.rename", "os.remove", "os.mkdir"}, said
    for k, moment in enumerate(chosen):
        out = tmp_path / str(k)
        assert killed_at(moment, out).returncode == -signal.SIGKILL, moment
        if (out / "manifest.json").exists():
            found = zw.open_study(out)
            assert all(store.block_is_sound(out, store.layout_of(found.manifest), n) for n in found.done), moment
            assert found.done == list(range(3)) or "000003" not in moment, moment
        assert study.run(out).hash() == whole, moment


def test_packages_that_are_missing_are_named(arm, tmp_path, monkeypatch):
    for name in ("pyarrow.parquet", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"zwang.study needs the package pyarrow: pip install zwang\[study\]"):
        torques(arm).run(tmp_path / "out")


def test_every_public_name_has_a_sentence():
    for name in S.__all__:
        assert name == "ENGINES" or getattr(S, name).__doc__, name
    assert repr(torques(zw.load(ROOT / "models/arm7.urdf"))).startswith("<Study 'study': 1000 states in 8 blocks")
    assert description.FORMAT == "zwang.study"
