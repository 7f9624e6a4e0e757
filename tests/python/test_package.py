# SPDX-License-Identifier: BSD-3-Clause
"""The package itself: types, help, cost of importing, what it links, the README's Python."""
import ast
import importlib
import inspect
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

import pytest
import zwang as zw
from conftest import ROOT

PACKAGE = pathlib.Path(zw.__file__).resolve().parent
PUBLIC = [name for name in dir(zw) if not name.startswith("_") and not inspect.ismodule(getattr(zw, name))]
FUNCTIONS = [name for name in PUBLIC if not inspect.isclass(getattr(zw, name)) and callable(getattr(zw, name))]


def run(*command, **more):
    """In a process that finds this package, with absolute paths, wherever it runs."""
    more.setdefault("env", {**os.environ, "PYTHONPATH": str(PACKAGE.parent)})
    return subprocess.run(command, capture_output=True, text=True, **more)


def test_everything_of_the_extension_is_public():
    from zwang import _zwang
    assert {name for name in dir(_zwang) if not name.startswith("_")} | {"ProgressEvery", "Reports", "Rollout", "Statuses"} == set(PUBLIC)
    version = re.search(r"project\(zwang VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    assert zw.__version__ == version


def test_what_type_checkers_see_is_what_there_is():
    stub = [n for n in ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8")).body if isinstance(n, ast.ImportFrom)]
    names = {(n.module, alias.name) for n in stub for alias in n.names}
    assert ("_zwang", "*") in names and {name for module, name in names if module is None} == set(zw._MODULES)
    assert {(module, name) for name, module in zw._LATER.items()} <= names
    for module, name in names:
        if module is not None and name != "*":
            assert getattr(zw, name) is getattr(importlib.import_module(f"zwang.{module}"), name), name


def test_dir_holds_nothing_private():
    assert [name for name in dir(zw) if name.startswith("_") and not name.endswith("__")] == []


def test_help_says_shapes_and_errors():
    for name in FUNCTIONS:
        text = getattr(zw, name).__doc__
        alias = {"link_momentum": "body_momentum", "rnea": "inverse_dynamics", "aba": "forward_dynamics", "crba": "mass_matrix"}.get(name, name)
        assert text.startswith(f"{alias}(") and len(text.splitlines()) > 1, name
    for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix", "jacobian", "integrate", "frame_pose"):
        text = getattr(zw, name).__doc__
        assert "(nv" in text or "(4, 4)" in text or "(nq,)" in text, name
        assert "Raises" in text and "(N" in text and ("out" in text), name
    for name in PUBLIC:
        if inspect.isclass(getattr(zw, name)):
            assert getattr(zw, name).__doc__, name


def test_names_and_keywords_are_those_of_the_documentation():
    wanted = {
        "inverse_dynamics": "model q v a external in_ joint_effects gravity out",
        "forward_dynamics": "model q v tau external in_ joint_effects gravity out",
        "frame_acceleration": "model q v a frame kind reference with_gravity gravity out",
        "jacobian": "model q frame reference out", "relative_velocity": "model q v frame seen_from reference out",
        "integrate": "model q dq out", "load": "path root lump mode gravity packages",
    }
    for name, arguments in wanted.items():
        signature = getattr(zw, name).__doc__.splitlines()[0]
        for argument in arguments.split():
            assert re.search(rf"\b{argument}\b", signature), (name, argument)


def test_optional_modules_say_what_to_install():
    program = """
import sys
import zwang as zw
assert not {"torch", "jax", "casadi"} & set(sys.modules) and not {"torch", "jax", "casadi"} & set(dir(zw))
for name in ("torch", "jax", "casadi"):
    sys.modules[name] = None  # as if it were not installed
    try:
        getattr(zw, name)
    except ImportError as error:
        print(error)
assert not hasattr(zw, "tensorflow")
"""
    said = run(sys.executable, "-c", program)
    expected = [f"zwang.{x} needs the package {x}: pip install zwang[{x}]" for x in ("torch", "jax", "casadi")]
    assert said.stdout.splitlines() == expected, said.stdout + said.stderr


def test_the_stubs_and_the_examples_pass_mypy(tmp_path):
    mypy = shutil.which("mypy", path=str(pathlib.Path(sys.executable).parent)) or shutil.which("mypy")
    if mypy is None:
        pytest.skip("mypy is not installed")
    package = tmp_path / "zwang"  # alone: beside it in site-packages mypy would find modules of its own
    package.mkdir()
    for path in (*PACKAGE.glob("*.py"), *PACKAGE.glob("*.pyi"), PACKAGE / "py.typed"):
        shutil.copy(path, package)
    for folder in ("pinocchio", "study"):
        shutil.copytree(PACKAGE / folder, package / folder, ignore=shutil.ignore_patterns("__pycache__"))

    def check(*arguments):
        result = run(mypy, "--strict", "--cache-dir", str(tmp_path / "cache"), *arguments, cwd=tmp_path,
                     env={**os.environ, "MYPYPATH": str(tmp_path)})
        assert result.returncode == 0, result.stdout
    check("-p", "zwang")
    examples = sorted(map(str, (ROOT / "examples").glob("*.py")))
    if examples:
        check(*examples)


def test_importing_loads_numpy_and_the_package_alone():
    program = "import atexit, copy, dataclasses, numbers, numpy, sys; before = set(sys.modules); import zwang; print(*sorted(set(sys.modules) - before))"
    assert run(sys.executable, "-c", program, cwd=ROOT / "models").stdout.split() == ["zwang", "zwang._progress", "zwang._status", "zwang._zwang",
                                                                                            "zwang._zwang._pinocchio"]


@pytest.mark.timed
def test_importing_costs_little():
    def seconds(code):
        program = f"import numpy, time; t = time.perf_counter(); {code}; print(time.perf_counter() - t)"
        return float(run(sys.executable, "-c", program, cwd=ROOT / "models").stdout)
    assert statistics.median(seconds("import zwang") for _ in range(5)) < 0.150


def test_the_extension_needs_the_systems_own_libraries_alone():
    ldd = shutil.which("ldd")
    if ldd is None or os.environ.get("ZWANG_SELF_CONTAINED") == "OFF":
        pytest.skip("ldd is not there" if ldd is None else "this build uses shared libraries (ZWANG_SELF_CONTAINED is OFF)")
    extension = next(PACKAGE.glob("_zwang*.so"))
    needed = {line.split()[0].split("/")[-1] for line in run(ldd, str(extension)).stdout.splitlines()}
    allowed = r"linux-vdso|libstdc\+\+|libm\.|libgcc_s|libc\.|ld-linux|libpthread|libdl|librt"
    assert all(re.match(allowed, name) for name in needed), needed


def python_blocks(document):
    return re.findall(r"^```python\n(.*?)^```$", document.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_python_of_the_readme_runs():
    blocks = python_blocks(ROOT / "README.md")
    if not blocks:
        pytest.skip("README.md has no Python block")
    result = run(sys.executable, "-c", "\n".join(blocks), cwd=ROOT)
    assert result.returncode == 0, result.stderr


def test_a_package_that_is_imported_again_is_the_same():
    code = """
import sys, zwang
arm = zwang.sample("arm7")
try:
    import zwang.kdl
    chain = zwang.kdl.Chain()
except ImportError:
    chain = None
for name in [x for x in sys.modules if x.split(".")[0] == "zwang"]:
    del sys.modules[name]
import zwang as again
assert again is not zwang and again.Model is zwang.Model and isinstance(arm, again.Model)
assert again.mass_matrix(arm, arm.neutral()).shape == (7, 7) and again.__version__ == zwang.__version__
if chain is not None:
    import zwang.kdl as kdl
    assert isinstance(chain, kdl.Chain)
try:
    again.mass_matrix("arm", None)
except TypeError as error:
    print(str(error).splitlines()[0])
"""
    result = run(sys.executable, "-c", code)
    assert result.returncode == 0, result.stderr
    assert "already registered" not in result.stderr
    assert result.stdout.startswith("E_ARGUMENT mass_matrix: argument 'model' has type str, expected Model")
