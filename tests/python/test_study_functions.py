# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the user in studies: which are the same, which can be sent, what they may and may not do."""
import functools
import json
import math
import os
import pathlib
import subprocess
import sys
import textwrap
import threading
import types

import numpy as np
import pytest
import zwang as zw
from conftest import ROOT

pytest.importorskip("pyarrow", reason="studies write Parquet: pip install zwang[study]")
from zwang.study._meaning import Meaning

S = zw.study
PACKAGE = pathlib.Path(zw.__file__).resolve().parent


def meaning(text, name="f", **globals_):
    """Of a function of this text, as of a module of the user."""
    module = types.ModuleType("__main__")
    module.__dict__.update(np=np, math=math, zw=zw, functools=functools, **globals_)
    exec(compile(textwrap.dedent(text), "somewhere", "exec"), module.__dict__)
    return Meaning(module.__dict__[name]).hash


SAME = [("def f(b): return 2 * b.q", "\n\n# a comment\ndef f(b):\n    return 2 * b.q\n"),
        ("def f(b): return b.q in {1, 2, 3}", "def f(b): return b.q in {3, 2, 1}"),
        ("limits = {'a', 'b', 'c'}\ndef f(b): return limits", "limits = {'c', 'b', 'a'}\ndef f(b): return limits"),
        ("def f(b): return np.sin(b.q)", "unused = 3\ndef f(b): return np.sin(b.q)")]
OTHER = [("def f(b): return 2 * b.q", "def f(b): return 3 * b.q"),
         ("def f(b): return np.sin(b.q)", "def f(b): return np.cos(b.q)"),
         ("c = 2.0\ndef f(b): return c * b.q", "c = 2.5\ndef f(b): return c * b.q"),
         ("def g(x): return x\ndef f(b): return g(b.q)", "def g(x): return -x\ndef f(b): return g(b.q)"),
         ("def f(b, c=1): return c", "def f(b, c=2): return c"),
         ("def f(b, *, c=1): return c", "def f(b, *, c=2): return c"),
         ("c = np.arange(5000.0)\ndef f(b): return c", "c = np.arange(5000.0)\nc[2500] = 0\ndef f(b): return c"),
         ("def g(b, c): return c\nf = functools.partial(g, c=1)", "def g(b, c): return c\nf = functools.partial(g, c=2)"),
         ("def g(b, c): return c\nf = functools.partial(g, c=1)", "def g(b, c): return 2 * c\nf = functools.partial(g, c=1)"),
         ("class C:\n def __init__(s, k): s.k = k\n def __call__(s, b): return s.k\nf = C(1)",
          "class C:\n def __init__(s, k): s.k = k\n def __call__(s, b): return s.k\nf = C(2)"),
         ("class C:\n def g(s, b): return 1\nf = C().g", "class C:\n def g(s, b): return 2\nf = C().g"),
         ("class C:\n @property\n def p(s): return 1\nc = C()\ndef f(b): return c.p",
          "class C:\n @property\n def p(s): return 2\nc = C()\ndef f(b): return c.p"),
         ("class B:\n x = 1\nclass C(B): pass\ndef f(b): return C.x", "class B:\n x = 2\nclass C(B): pass\ndef f(b): return C.x"),
         ("def f(b): return (lambda x: x + 1)(b.q)", "def f(b): return (lambda x: x + 2)(b.q)"),
         ("def outer(k):\n def f(b): return k\n return f\nf = outer(1)", "def outer(k):\n def f(b): return k\n return f\nf = outer(2)"),
         ("def g(x): return 1\ndef f(b): return [g(x) for x in b.q]", "def g(x): return 2\ndef f(b): return [g(x) for x in b.q]"),
         ("@functools.lru_cache\ndef g(x): return 1\ndef f(b): return g(1)", "@functools.lru_cache\ndef g(x): return 2\ndef f(b): return g(1)"),
         ("k = True\ndef f(b): return k", "k = 1\ndef f(b): return k"),
         ("k = 0.0\ndef f(b): return k", "k = -0.0\ndef f(b): return k"),
         ("k = [1, [2]]\ndef f(b): return k", "k = [[1], 2]\ndef f(b): return k"),
         ("import threading\nL = threading.Lock()\n@np.errstate(all='ignore')\ndef f(b): return 1",
          "import threading\nL = threading.Lock()\n@np.errstate(all='ignore')\ndef f(b): return 2"),
         ("import types, threading\nT = [1]\nm = types.ModuleType('own'); m.A = [T, threading.Lock()]; m.T = T\ndef f(b): return m.T",
          "import types, threading\nT = [2]\nm = types.ModuleType('own'); m.A = [T, threading.Lock()]; m.T = T\ndef f(b): return m.T"),
         ("def f(b):\n try: x = 1\n except KeyError: pass\n else: x = 2\n return x", "def f(b):\n try: x = 1\n except ValueError: pass\n else: x = 2\n return x"),
         ("import numpy\n@functools.wraps(numpy.linalg.norm)\ndef f(b): return 1", "import numpy\n@functools.wraps(numpy.linalg.norm)\ndef f(b): return 2"),
         ("def f(b): return f.gain\nf.gain = 1", "def f(b): return f.gain\nf.gain = 2"),
         ("m = np.ma.masked_array([1., 2.], [0, 1])\ndef f(b): return m", "m = np.ma.masked_array([1., 2.], [1, 0])\ndef f(b): return m"),
         ("a = np.eye(3)[:, :2]\ndef f(b): return a", "a = np.asfortranarray(np.eye(3)[:, :2])\ndef f(b): return a"),
         ("import types\nm = types.ModuleType('own'); m.gain = 1\ndef f(b): return m.gain",
          "import types\nm = types.ModuleType('own'); m.gain = 2\ndef f(b): return m.gain"),
         ("@functools.singledispatch\ndef g(x): return 1\ndef f(b): return g(1)", "@functools.singledispatch\ndef g(x): return 2\ndef f(b): return g(1)"),
         ("k = {'a': 1}\ndef f(b): return k", "k = {'a': 2}\ndef f(b): return k")]


@pytest.mark.parametrize("one, two", SAME)
def test_functions_that_do_the_same_are_the_same(one, two):
    assert meaning(one) == meaning(two)


@pytest.mark.parametrize("one, two", OTHER)
def test_functions_that_do_something_else_are_others(one, two):
    assert meaning(one) == meaning(one)
    assert meaning(one) != meaning(two)


def test_models_and_what_refers_to_itself(arm):
    other = zw.load(ROOT / "models/bird_leg.urdf")
    text = "def f(b): return m.nv"
    assert meaning(text, m=arm) == meaning(text, m=zw.load(ROOT / "models/arm7.urdf", root="fixed")) != meaning(text, m=other)
    assert meaning("def f(b): return f(b) if len(b) else g(b)\ndef g(b): return f(b)")
    assert meaning("k = []\nk.append(k)\ndef f(b): return k")


def test_modules_that_are_imported_count_as_far_as_they_go(tmp_path, monkeypatch):
    for name, text in (("study_one", "import study_two"), ("study_two", "gain = 1.0")):
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    try:
        import study_one
        texts = "def f(b): return study_one.study_two.gain", "def f(b):\n import study_one as x\n return x.study_two.gain"
        before = [meaning(text, study_one=study_one) for text in texts]
        study_one.study_two.gain = 2.0
        assert all(meaning(text, study_one=study_one) != x for text, x in zip(texts, before))
    finally:
        for name in ("study_one", "study_two"):
            sys.modules.pop(name, None)


def test_relative_imports_within_a_function_count(tmp_path, monkeypatch):
    (tmp_path / "study_package").mkdir()
    for name, text in (("__init__", ""), ("helper", "GAIN = 1"),
                       ("own", "def f(b):\n    from .helper import GAIN\n    return GAIN\n\ndef g(b):\n    from . import helper\n    return helper.GAIN\n")):
        (tmp_path / f"study_package/{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    try:
        from study_package import helper, own
        before = Meaning(own.f).hash, Meaning(own.g).hash
        helper.GAIN = 2
        assert Meaning(own.f).hash != before[0] and Meaning(own.g).hash != before[1]
    finally:
        for name in [n for n in sys.modules if n.startswith("study_package")]:
            sys.modules.pop(name)


FACTOR = 1.0


def scaled(block):
    return FACTOR * block.q


def remembers(block, known={}):  # noqa: B006
    known[len(block)] = 1
    return block.q


def test_a_function_that_changes_after_the_study_was_made(arm, tmp_path, monkeypatch):
    study = zw.Study(arm, what=scaled, over=S.Sample(3, 1, q="limits"))
    monkeypatch.setitem(globals(), "FACTOR", 2.0)
    with pytest.raises(zw.StudyError, match="scaled, or a value that it refers to, has changed since the study was made"):
        study.run(tmp_path / "out")
    again = zw.Study(arm, what=scaled, over=S.Sample(3, 1, q="limits"))
    assert again.hash != study.hash and again.run(tmp_path / "out").complete
    cached = zw.Study(arm, what=remembers, over=S.Sample(3, 1, q="limits"))
    with pytest.raises(zw.StudyError, match="version='1'"):
        cached.run(tmp_path / "cached")
    assert zw.Study(arm, what=S.Function(remembers, version="1"), over=S.Sample(3, 1, q="limits")).run(tmp_path / "cached").complete


@pytest.mark.filterwarnings("ignore:1 of 2 blocks")
@pytest.mark.parametrize("engine", ["local", "processes:1"])
def test_a_function_that_ends_the_program_does_not(arm, tmp_path, engine):
    def leaves(block):
        if block.first:
            sys.exit(0)
        return block.q
    results = zw.Study(arm, what=S.Function(leaves, version="1"), over=S.Sample(20, 1, q="limits"), block=10).run(tmp_path / "out", engine)
    assert results.done == [0] and "SystemExit: 0" in results.failures[0]["reason"]
    with pytest.raises(ValueError, match="tried on the first state: SystemExit"):
        zw.Study(arm, what=S.Function(lambda block: sys.exit(0), version="1"), over=S.Sample(3, 1, q="limits"))


def test_a_function_that_changes_the_folder_and_numpy(arm, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()

    def wanders(block):
        os.chdir(tmp_path / "elsewhere")
        np.seterr(all="raise")
        return np.where(np.arange(len(block)) % 2, np.inf, block.q[:, 0])
    before = np.geterr()
    try:
        study = zw.Study(arm, what=wanders, over=S.Sample(20, 1, q="limits"), block=5, reduce={"wanders": ["mean", "std", "max"]})
        os.chdir(tmp_path)
        assert study.run("out").complete and (tmp_path / "out/manifest.json").exists()
    finally:
        np.seterr(**before)


def test_names_of_results_that_begin_alike(arm, tmp_path):
    def f(block):
        return {"x": block.q[:, 0]}
    study = zw.Study(arm, what=[f, S.Function(lambda block: block.q[:, 1], name="f.g")], over=S.Sample(20, 1, q="limits"))
    assert study.run(tmp_path / "out").complete


def test_a_script_without_a_guard_is_told(tmp_path):
    (tmp_path / "script.py").write_text(f"""
import zwang as zw
arm = zw.load({str(ROOT / "models/arm7.urdf")!r})
zw.Study(arm, what="gravity_forces", over=zw.study.Sample(10, 1, q="limits")).run({str(tmp_path / "out")!r}, "processes:1")
""")
    said = subprocess.run([sys.executable, str(tmp_path / "script.py")], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)})
    assert said.returncode != 0 and "if __name__ == '__main__'" in said.stderr and "another run writes here" not in said.stderr


def test_the_hash_is_of_no_process():
    """Python orders sets and hashes texts anew in each process."""
    program = """
import sys; sys.path.insert(0, sys.argv[1])
from test_study_functions import OTHER, SAME, meaning
print([meaning(t) for pair in OTHER + SAME for t in pair])
"""
    said = {subprocess.run([sys.executable, "-c", program, str(pathlib.Path(__file__).parent)], capture_output=True, text=True, check=True,
                           env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(PACKAGE.parent)}).stdout for seed in ("1", "2")}
    assert len(said) == 1


def test_what_cannot_be_compared_is_said(arm):
    lock = threading.Lock()
    with pytest.raises(ValueError, match=r"what\[0\]: f: what it refers to cannot be compared: lock .*version='1'"):
        def f(block):
            return block.q if lock else block.q
        zw.Study(arm, what=f, over=S.Sample(3, 1, q="limits"))
    assert zw.Study(arm, what=S.Function(f, version="1"), over=S.Sample(3, 1, q="limits")).columns[0].shape == (7,)
    with pytest.raises(ValueError, match="argument 'version' is 1, expected a text"):
        S.Function(f, version=1)


def test_a_function_does_not_change_what_others_read(arm):
    def spoils(block):
        block.q[:] = 0
        return block.q

    def renames(block):
        block.q = np.zeros((len(block), 7))
        return block.q
    with pytest.raises(ValueError, match="spoils, tried on the first state: .*read-only"):
        zw.Study(arm, what=spoils, over=S.Sample(3, 1, q="limits"))
    with pytest.raises(ValueError, match="renames, tried on the first state: .*'q' is a variable of the study"):
        zw.Study(arm, what=renames, over=S.Sample(3, 1, q="limits"))


def test_a_function_may_use_its_memory_again(arm, tmp_path):
    memory = np.empty((64, 7))

    def reuses(block):
        out = memory[:len(block)]
        out[:] = block.parameters.get("mass:link3", 1.0) * block.q
        return out
    over = [S.Grid({"mass:link3": [1.0, 2.0, 3.0]}), S.Sample(10, 1, q="limits")]
    found = zw.Study(arm, what=S.Function(reuses, version="1"), over=over).run(tmp_path / "out").grid("reuses")
    np.testing.assert_array_equal(found, np.array([1.0, 2.0, 3.0])[:, None, None] * zw.random_states(arm, 10, 1))


LATER = [("x[:, :3] if block.first else x", "shape|expected"), ("x.astype('f4') if block.first else x", "float32"),
         ("{'a': x} if not block.first else {'b': x}", "has no result 'later.a' here, other than for the first state"),
         ("{'a': x} if not block.first else {'a': x, 'b': x}", "has a result 'later.b' here"),
         ("x[1:] if block.first else x", "shape"), ("None if block.first else x", "results of type object")]


@pytest.mark.filterwarnings("ignore:1 of 2 blocks")
@pytest.mark.parametrize("text, said", LATER)
def test_results_that_are_others_in_later_blocks_are_failures(arm, tmp_path, text, said):
    space = {}
    exec(f"def later(block):\n x = block.q\n return {text}", space)
    results = zw.Study(arm, what=S.Function(space["later"], version="1"), over=S.Sample(20, 1, q="limits"), block=10).run(tmp_path / "out")
    assert results.done == [0] and len(results.failures) == 1
    import re
    assert re.search(said, results.failures[0]["reason"]), results.failures[0]["reason"]


NOTHING = [("{}", "has no results"), ("np.zeros((len(block), 0))", "has no results"), ("np.zeros((len(block), len(block)))", "depend on the number"),
           ("np.ma.masked_array(block.q, block.q > 0)", "masked"), ("block.q[0]", "expected"), ("3.0", "expected"),
           ("np.array([object()] * len(block))", "cannot be stored")]


@pytest.mark.parametrize("text, said", NOTHING)
def test_results_that_are_none_are_refused(arm, text, said):
    space = {"np": np}
    exec(f"def bad(block): return {text}", space)
    with pytest.raises(ValueError, match=said):
        zw.Study(arm, what=S.Function(space["bad"], version="1"), over=S.Sample(20, 1, q="limits"))


def test_functions_beside_the_document_travel(arm, tmp_path):
    """Workers need not find the module, nor the module that it imports."""
    (tmp_path / "beside.py").write_text("import beside_helper\nimport numpy as np\n\ndef reach(block):\n"
                                        "    return beside_helper.scaled(np.linalg.norm(block.q, axis=1))\n")
    (tmp_path / "beside_helper.py").write_text("FACTOR = 2.0\n\ndef scaled(x):\n    return FACTOR * x\n")
    (tmp_path / "study.json").write_text(json.dumps({"model": str(ROOT / "models/arm7.urdf"), "what": {"function": "beside:reach"},
                                                     "over": {"sample": 40, "seed": 1, "variables": {"q": "limits"}}, "block": 10}))
    try:
        study = S.read_study(tmp_path / "study.json")
        results = study.run(tmp_path / "out", "processes:1")
        np.testing.assert_array_equal(results["reach"], 2 * np.linalg.norm(zw.random_states(arm, 40, 1), axis=1))
        (tmp_path / "other").mkdir()
        (tmp_path / "other/beside.py").write_text("def reach(block):\n    return block.q\n")
        (tmp_path / "other/study.json").write_text((tmp_path / "study.json").read_text())
        with pytest.raises(ValueError, match="the module of that name that is loaded is .*beside.py, here it is .*other/beside.py"):
            S.read_study(tmp_path / "other/study.json")
    finally:
        sys.modules.pop("beside", None)
        sys.modules.pop("beside_helper", None)
    (tmp_path / "beside_helper.py").write_text("FACTOR = 3.0\n\ndef scaled(x):\n    return FACTOR * x\n")
    try:
        assert S.read_study(tmp_path / "study.json").hash != study.hash
    finally:
        sys.modules.pop("beside", None)
        sys.modules.pop("beside_helper", None)
