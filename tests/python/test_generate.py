# SPDX-License-Identifier: BSD-3-Clause
"""Generated C: compiled by the compilers of this machine, it gives the library's numbers."""
import copy
import ctypes
import itertools
import re
import shutil
import subprocess

import numpy as np
import pytest
import zwang as zw
from conftest import ROOT, SHARED

COMPILERS = [c for c in ("gcc", "clang") if shutil.which(c)]
STRICT = ("-Wall", "-Wextra", "-pedantic", "-Werror")
STRAIGHT_ONLY = ("constrained_dynamics", "coriolis_matrix", "inverse_dynamics_regressor")  # no loops over bodies

if not COMPILERS:
    pytest.skip("there is no C compiler", allow_module_level=True)


def pose(p, rpy=(0, 0, 0)):
    """A 4 x 4 pose: roll, pitch, yaw about fixed axes."""
    (a, b, c), X = rpy, np.eye(4)
    turn = lambda k, x: np.roll(np.roll([[1, 0, 0], [0, np.cos(x), -np.sin(x)], [0, np.sin(x), np.cos(x)]], k, 0), k, 1)
    X[:3, :3], X[:3, 3] = turn(2, c) @ turn(1, b) @ turn(0, a), p
    return X


def self_test(code, folder, compiler, *flags):
    """Compiles the file with its main and runs it: exit status and what it prints."""
    (folder / f"{code.name}.h").write_text(code.header)
    (folder / f"{code.name}.c").write_text(code.source)
    done = subprocess.run([compiler, "-std=c99", *STRICT, *flags, f"-D{code.name.upper()}_SELF_TEST", f"{code.name}.c", "-o", "run", "-lm"],
                          cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]
    ran = subprocess.run([folder / "run"], capture_output=True, text=True)
    return ran.returncode, ran.stdout


def words(model, without=("constrained_dynamics",)):
    """All functions of the list, those of frames for the last one."""
    return [w.replace(":FRAME", f":{model.frame_names[-1]}") for w in zw.generate_functions() if w not in without]


ROBOTS = sorted((ROOT / "models").glob("*.urdf"))
REAL = sorted(SHARED.glob("*.urdf")) if SHARED.is_dir() else [
    pytest.param(SHARED, marks=pytest.mark.skip(reason=f"real robots: {SHARED} is not there"))]
EVERY_COMPILER = ("arm7", "quadruped")  # a chain and a floating tree; the others take one


@pytest.mark.parametrize("path", ROBOTS + REAL, ids=lambda p: p.stem)
def test_every_function_of_every_robot(path, tmp_path):
    model = zw.load(path, loops="constraints") if path.stem == "five_bar" else zw.load(path)
    small = path.stem in EVERY_COMPILER
    for scalar, size in (("double", False), ("float", False), ("double", True), ("float", True)):
        code = zw.generate(model, words(model, STRAIGHT_ONLY if size or not small else STRAIGHT_ONLY[:1]), name="r", scalar=scalar, size=size)
        for compiler in COMPILERS if path.stem in EVERY_COMPILER else COMPILERS[:1]:
            status, text = self_test(code, tmp_path, compiler, "-O0")
            assert status == 0, text
            # "ok     1.2e-15 r_pose_tool0": sums of some 1e3 terms a body; solves lose what the condition of M says (kinova: 1e5).
            worst = {line.split()[2]: float(line.split()[1]) for line in text.splitlines()}
            assert all(f.name in worst and (f.stack > 0) == (size and f.word not in ("integrate", "difference")) for f in code.functions)
            for name, x in worst.items():
                solves = name == "r_forward_dynamics"
                limits = {("double", False): 1e-13, ("double", True): 1e-11, ("float", False): 1e-5, ("float", True): 1e-3}
                assert x <= limits[scalar, solves], text


def test_a_hundred_states_in_one_pass_of_each_compiler():
    arm = zw.sample("arm7")
    straight, loops = zw.generate(arm, words(arm), name="arm"), zw.generate(arm, words(arm, STRAIGHT_ONLY), name="arm", size=True)
    assert [f.word for f in straight.functions] == words(arm) and len(loops.source.split("#ifdef")[0]) < len(straight.source.split("#ifdef")[0]) / 3
    q, frame = np.array([arm.random(seed=k) for k in range(100)]), arm.frame_names[-1]
    v, a = (np.random.default_rng(k).uniform(-1, 1, (100, arm.nv)) for k in (1, 2))
    for code, compiler in itertools.product((straight, loops), COMPILERS):
        c = zw.compile_c(code, compiler=compiler, flags=("-O2", *STRICT))
        for k in range(100):
            near = lambda x, y: np.testing.assert_allclose(x, y, rtol=0, atol=1e-13 * max(1, np.abs(y).max()))
            near(c.inverse_dynamics(q[k], v[k], a[k]), zw.inverse_dynamics(arm, q[k], v[k], a[k]))
            near(c.mass_matrix(q[k]), zw.mass_matrix(arm, q[k]))
            near(c[f"pose:{frame}"](q[k]), zw.frame_pose(arm, q[k], frame))
            near(c[f"jacobian:{frame}"](q[k]), zw.jacobian(arm, q[k], frame))
            tau = c.inverse_dynamics(q[k], v[k], a[k])
            np.testing.assert_allclose(c.forward_dynamics(q[k], v[k], tau), a[k], rtol=0, atol=1e-10)


def test_every_joint_type(tmp_path):
    b = zw.ModelBuilder("all").add_link("base")
    parent = "base"
    for k, kind in enumerate(("floating", "revolute", "prismatic", "spherical", "planar", "translation", "revolute_unbounded", "helical",
                              "cylindrical", "universal", "spherical_zyx", "ellipsoid", "fixed", "revolute")):
        more = {"helical": {"parameters": [0.1]}, "ellipsoid": {"parameters": [0.3, 0.2, 0.1]}}.get(kind, {})
        b.add_link(f"l{k}", mass=1.0 + k, centre=[0.1, 0.02, 0.03], inertia=[[0.1, 0.01, 0], [0.01, 0.2, 0.02], [0, 0.02, 0.25]], gravity_scale=0.5 if k == 3 else 1.0)
        b.add_joint(f"j{k}", kind, parent, f"l{k}", origin=pose([0.1, 0.2, 0.3], [0.1 * k, 0.2, 0.3]), damping=0.1,
                    stiffness=2.0 if kind in ("revolute", "prismatic", "spherical", "translation") else None, **more)
        parent = f"l{k}"
    model = b.build()
    for size, in_ in itertools.product((False, True), ("local", "world")):
        code = zw.generate(model, words(model, STRAIGHT_ONLY if size else STRAIGHT_ONLY[:1]), name="r", size=size, wrenches=["l5", "l13"], in_=in_)
        status, text = self_test(code, tmp_path, COMPILERS[0], "-O0")
        assert status == 0, text


def test_the_list_is_that_of_the_page():
    """docs/generated-code.md has a row of each function, and of no other."""
    page = (ROOT / "docs" / "generated-code.md").read_text()
    table = page.split("| function | inputs | results |")[1].split("\n\n")[0]
    named = [w for row in table.splitlines()[2:] for w in re.findall(r"`([a-z_]+(?::FRAME)?)`", row.split("|")[1])]
    assert sorted(named) == sorted(zw.generate_functions())
    for word in zw.generate_functions():
        assert f"{word.removesuffix(':FRAME')}: " in zw.generate.__doc__


def test_constrained_dynamics(tmp_path):
    """A loop of two rows (a planar one has no more that are independent), soft rows, a stance on four feet."""
    bar = zw.load_robot(ROOT / "models" / "five_bar.urdf", loops="constraints")
    closed = bar.constraints[bar.constraints.names[0]]
    loop = zw.ConstraintSet(bar.model)
    loop.add_loop("close", (closed.frame, closed.other), "linear.x linear.y", time_constant=0.1)
    dog = zw.load(ROOT / "models" / "quadruped.urdf", root="floating")
    stance = zw.ConstraintSet(dog)
    for foot in ("LF", "RF", "LH", "RH"):
        stance.add_frame(foot, f"{foot}_foot", "linear", policy="soft", compliance=1e-3)
    for model, constraints in ((bar.model, loop), (dog, stance)):
        code = zw.generate(model, ["constrained_dynamics"], name="r", constraints=constraints)
        assert self_test(code, tmp_path, COMPILERS[0])[0] == 0
        c = zw.compile_c(code)
        for seed in range(5):
            q, v = model.random(seed=seed), np.full(model.nv, 0.1)
            a, multipliers = c.constrained_dynamics(q, v, model.zero())
            solution = zw.Solver(model, constraints).solve(q, v, model.zero())
            for x, y in ((a, solution.acceleration), (multipliers, solution.multipliers)):
                np.testing.assert_allclose(x, y, rtol=0, atol=1e-9 * max(1, np.abs(y).max()))
    with pytest.raises(zw.UnsupportedError, match="rows of full rank"):  # of the revolute joint that closes a plane
        zw.generate(bar.model, ["constrained_dynamics"], constraints=bar.constraints)


def test_statuses():
    arm = zw.sample("arm7")
    held = zw.ConstraintSet(arm)
    held.add_frame("tool", "tool0", "all")
    c = zw.compile_c(zw.generate(arm, ["inverse_dynamics", "constrained_dynamics"], constraints=held))
    with pytest.raises(ArithmeticError, match="not numbers"):
        c.inverse_dynamics([np.nan] * 7, [0] * 7, [0] * 7)
    with pytest.raises(ArithmeticError, match="pivot"):
        c.constrained_dynamics([0] * 7, [0] * 7, [0] * 7)
    with pytest.raises(ValueError, match="'v' has size 6, expected 7"):
        c.inverse_dynamics([0] * 7, [0] * 6, [0] * 7)
    with pytest.raises(ValueError, match="got 2 arguments, expected q, v, a"):
        c.inverse_dynamics([0] * 7, [0] * 7)
    far = np.full(7, 1.2e6)  # beyond the range of the reduction
    with pytest.warns(UserWarning, match="are these degrees"):
        expected = zw.inverse_dynamics(arm, far, [0] * 7, [0] * 7)
    np.testing.assert_allclose(c.inverse_dynamics(far, [0] * 7, [0] * 7), expected, rtol=1e-12, atol=1e-12)


def test_a_copy_calls_the_same_library():
    arm = zw.sample("arm7")
    c = zw.compile_c(zw.generate(arm, ["gravity_forces"]))
    again = copy.copy(c)
    np.testing.assert_array_equal(again.gravity_forces([0.1] * 7), c.gravity_forces([0.1] * 7))
    with pytest.raises(AttributeError, match="only gravity_forces"):
        c.mass_matrix
    bare = object.__new__(type(c))  # as copies begin
    with pytest.raises(AttributeError, match="_functions"):
        bare._functions


def test_sines_as_inputs_need_no_mathematics(tmp_path):
    arm = zw.sample("arm7")
    code = zw.generate(arm, ["inverse_dynamics", "pose:tool0"], sines_as_inputs=True)
    assert "math.h" not in code.source.split("#ifdef")[0]
    f = code.functions[0]
    assert f.inputs[-1].name == "sc" and f.operations.sines == 0
    assert self_test(code, tmp_path, COMPILERS[0])[0] == 0
    b = zw.ModelBuilder("mimics").add_link("base").add_link("l0", mass=1.0, inertia=np.eye(3)).add_joint("j0", "revolute", "base", "l0")
    for k in (1, 2):  # their angles are sums of inputs times constants
        b.add_link(f"l{k}", mass=1.0, centre=[0.1, 0, 0.2], inertia=np.eye(3))
        b.add_joint(f"j{k}", "revolute", f"l{k - 1}", f"l{k}", origin=pose([0.1, 0, 0], [k, 0, 0]), mimic=("j0", -0.5 * k, 0.1))
    for size in (False, True):
        code = zw.generate(b.build(), ["inverse_dynamics", "mass_matrix"], sines_as_inputs=not size, size=size, name="r")
        assert size or code.functions[0].inputs[-1].meaning == "sine and cosine of 0.1 + (q[0] * (-0.5)), 0.1 - q[0]"
        assert self_test(code, tmp_path, COMPILERS[0], "-O0")[0] == 0


def test_names_of_any_kind(tmp_path):
    b = zw.ModelBuilder('int */ "\\ ??/ é').add_link("base")
    names = ["int", "for", "a b", "a_b", "a-b", "ü", "日本", "x" * 300, "*/ evil", "2nd"]
    parent = "base"
    for k, name in enumerate(names):
        b.add_link(name, mass=1.0, inertia=0.1 * np.eye(3))
        b.add_joint(f"j{k}", "revolute", parent, name, axis=[0, 0, 1], origin=pose([0.1, 0, 0]))
        parent = name
    model = b.build()
    for size in (False, True):
        code = zw.generate(model, [f"pose:{n}" for n in names] + ["bias_forces"], wrenches=["a b"], size=size)
        assert len({f.name for f in code.functions}) == len(names) + 1
        for compiler in COMPILERS:
            assert self_test(code, tmp_path, compiler)[0] == 0
    for bad in ("", "int x", "2nd", "_arm", "é", "x" * 41):
        with pytest.raises(ValueError, match="E_NAME"):
            zw.generate(model, ["gravity_forces"], name=bad)


@pytest.mark.parametrize("size", (False, True))
def test_three_hundred_links(size, tmp_path):
    b = zw.ModelBuilder("snake").add_link("base")
    parent = "base"
    for k in range(300):
        b.add_link(f"l{k}", mass=1.0, centre=[0.05, 0, 0], inertia=np.diag([0.01, 0.02, 0.02]))
        b.add_joint(f"j{k}", "revolute", parent, f"l{k}", axis=[0, k % 2, 1 - k % 2], origin=pose([0.1, 0, 0]))
        parent = f"l{k}"
    code = zw.generate(b.build(), ["inverse_dynamics", "pose:l299"], size=size)
    assert self_test(code, tmp_path, COMPILERS[0], "-O0")[0] == 0


def firmware():
    """The program of docs/generated-code.md."""
    return (ROOT / "docs" / "generated-code.md").read_text().split("```c\n")[1].split("```")[0]


def computed_torques(arm, q, v, q_d, v_d, a_d):
    """What its `control` computes, by the library."""
    q, v, q_d, v_d, a_d = (np.asarray(x, float) for x in (q, v, q_d, v_d, a_d))
    return zw.inverse_dynamics(arm, q, v, a_d + 100 * (q_d - q) + 20 * (v_d - v))


@pytest.mark.skipif(not (shutil.which("arm-linux-gnueabihf-gcc") and shutil.which("qemu-arm")),
                    reason="an emulated target needs arm-linux-gnueabihf-gcc and qemu-arm (Debian: gcc-arm-linux-gnueabihf, qemu-user)")
@pytest.mark.parametrize("size", (False, True))
def test_the_loop_of_the_page_on_an_emulated_target(size, tmp_path):
    """Thumb code with float in registers, run by qemu-arm: the page's program, and the self-test."""
    arm = zw.sample("arm7")
    code = zw.generate(arm, ["inverse_dynamics", "forward_dynamics"], name="arm", scalar="float", size=size)
    state = [np.asarray(arm.random(seed=k), np.float32) for k in range(5)]
    table = ", ".join("{" + ", ".join(f"{float(x)!r}f" for x in row) + "}" for row in state)
    main = f"""
#include <stdio.h>
int main(void) {{
  static const float x[5][N] = {{{table}}};
  float tau[N];
  int k, status = control(x[0], x[1], x[2], x[3], x[4], tau);
  for (k = 0; k < N; ++k) printf("%.9g\\n", (double)tau[k]);
  return status;
}}
"""
    (tmp_path / "arm.h").write_text(code.header)
    (tmp_path / "arm.c").write_text(code.source)
    (tmp_path / "main.c").write_text(firmware() + main)
    build = ["arm-linux-gnueabihf-gcc", "-std=c99", *STRICT, "-O2", "-mthumb", "-static"]
    for files in (["main.c", "arm.c"], ["-DARM_SELF_TEST", "arm.c"]):
        subprocess.run([*build, *files, "-o", "run", "-lm"], cwd=tmp_path, check=True)
        done = subprocess.run(["qemu-arm", "run"], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        if files[0] == "main.c":
            expected = computed_torques(arm, *state)
            np.testing.assert_allclose([float(x) for x in done.stdout.split()], expected, rtol=0, atol=1e-5 * np.abs(expected).max())


def test_the_loop_of_the_page(tmp_path):
    """docs/generated-code.md: its program compiles with what it generates, and gives computed torques."""
    program, arm = firmware(), zw.sample("arm7")
    code = zw.generate(arm, ["inverse_dynamics"], name="arm", scalar="float")
    (tmp_path / "arm.h").write_text(code.header)
    (tmp_path / "all.c").write_text(program + code.source)
    for compiler in COMPILERS:
        subprocess.run([compiler, "-std=c99", *STRICT, "-shared", "-fPIC", "all.c", "-o", f"{compiler}.so", "-lm"], cwd=tmp_path, check=True)
        library = ctypes.CDLL(str(tmp_path / f"{compiler}.so"))
        q, v, q_d, v_d, a_d = (np.asarray(arm.random(seed=k), np.float32) for k in range(5))
        tau = np.empty(arm.nv, np.float32)
        assert library.control(*(ctypes.c_void_p(x.ctypes.data) for x in (q, v, q_d, v_d, a_d, tau))) == 0
        expected = computed_torques(arm, q, v, q_d, v_d, a_d)
        np.testing.assert_allclose(tau, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


def test_refusals():
    arm = zw.sample("arm7")
    for functions, options, match in (
            ([], {}, "no functions"), (["inverse_dynamic"], {}, "did you mean 'inverse_dynamics'"), (["pose"], {}, "no frame is given"),
            (["pose:"], {}, "names no frame"), (["pose:tool9"], {}, "did you mean 'tool0'"), (["mass_matrix:tool0"], {}, "no function of a frame"),
            (["mass_matrix"] * 2, {}, "twice"), (["mass_matrix"], {"scalar": "half"}, "'double' or 'float'"),
            (["constrained_dynamics"], {}, "no constraints"), (["mass_matrix"], {"gravity": [0, np.nan, 0]}, "gravity"),
            (["mass_matrix"], {"gravity": [0, 1]}, "expected 3"), (["mass_matrix"], {"wrenches": ["x"]}, "no frame named 'x'")):
        with pytest.raises(ValueError, match=match):
            zw.generate(arm, functions, **options)
    for word in STRAIGHT_ONLY[1:]:
        with pytest.raises(zw.UnsupportedError, match=f"{word} has no loops"):
            zw.generate(arm, [word], size=True)
    with pytest.raises(zw.UnsupportedError, match="call sin and cos themselves"):
        zw.generate(arm, ["mass_matrix"], size=True, sines_as_inputs=True)
    track = zw.ModelBuilder("track").add_link("base").add_link("cart", mass=1.0, inertia=np.eye(3))
    track.add_joint("rail", "spline", "base", "cart", parameters=zw.spline_parameters([pose([0.1 * k, 0, 0]) for k in range(5)]))
    with pytest.raises(zw.UnsupportedError, match="'rail' of type 'spline'"):
        zw.generate(track.build(), ["mass_matrix"])
    code = zw.generate(arm, ["mass_matrix"])
    with pytest.raises(FileNotFoundError):
        zw.compile_c(code, compiler="no_such_compiler")
    with pytest.raises(RuntimeError, match="refuses"):
        zw.compile_c(code, flags=("-no-such-flag",))
    with pytest.raises(KeyError, match="mass_matrix"):
        zw.compile_c(code)["pose:x"]
