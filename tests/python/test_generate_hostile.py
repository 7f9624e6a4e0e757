# SPDX-License-Identifier: BSD-3-Clause
"""Generated C at its borders: inputs that are not finite, names, constants that underflow, robots of few coordinates."""
import copy
import shutil
import subprocess

import numpy as np
import pytest
import zwang as zw

from test_generate import COMPILERS, STRAIGHT_ONLY, STRICT, pose, self_test

ARM = zw.sample("arm7")


@pytest.mark.parametrize("size", (False, True))
def test_what_a_comparison_hides_is_seen(size):
    """sign(v) of a dry friction: NaN reaches no result."""
    b = zw.ModelBuilder("slider").add_link("base").add_link("p", mass=1.0, inertia=np.eye(3))
    b.add_joint("j", "prismatic", "base", "p", axis=(0, 0, 1), friction=3.0)
    code = zw.generate(b.build(), ["inverse_dynamics", "bias_forces"], size=size, joint_effects=zw.JointEffects(friction=True))
    c = zw.compile_c(code)
    assert np.isfinite(c.inverse_dynamics([0], [1], [0])).all()
    for inputs in (([0], [np.nan], [0]), ([np.nan], [1], [0]), ([0], [1], [np.inf])):
        with pytest.raises(ArithmeticError, match="not numbers"):
            c.inverse_dynamics(*inputs)
    np.testing.assert_allclose(c.inverse_dynamics([0], [-1], [0]) - c.inverse_dynamics([0], [1], [0]), -6.0)
    for function in ("forward_dynamics", "constrained_dynamics"):  # what holds a joint at rest is no formula
        with pytest.raises(zw.UnsupportedError, match="friction"):
            zw.generate(b.build(), [function], joint_effects=zw.JointEffects(friction=True))


def test_inputs_that_are_no_numbers_are_no_small_pivots():
    held = zw.ConstraintSet(ARM)
    held.add_frame("tool", "tool0", "linear")
    c = zw.compile_c(zw.generate(ARM, ["constrained_dynamics", "inverse_kinematics_step:tool0"], constraints=held))
    q, zero = ARM.random(seed=1), ARM.zero()
    for x in (np.nan, np.inf):
        with pytest.raises(ArithmeticError, match="not numbers"):
            c.constrained_dynamics(np.r_[x, q[1:]], zero, zero)
        with pytest.raises(ArithmeticError, match="not numbers"):
            c["inverse_kinematics_step:tool0"](q, np.eye(4), [x])
    with pytest.raises(zw.UnsupportedError, match="with_gravity"):
        zw.generate(ARM, ["constrained_dynamics"], constraints=held, gravity=[0, 0, -1])


@pytest.mark.parametrize("size", (False, True))
@pytest.mark.parametrize("name", ["COSMO", "BIGARM", "TWOARM", "myLIMITS", "NAME", "SINE", "T", "HALF_QUARTER", "NV", "real", "Z_move"])
def test_names_that_contain_words_of_the_file(name, size, tmp_path):
    code = zw.generate(ARM, ["inverse_dynamics", "pose:tool0"], name=name, size=size)
    assert self_test(code, tmp_path, COMPILERS[0])[0] == 0


@pytest.mark.parametrize("size", (False, True))
@pytest.mark.parametrize("name", ["SUM_OUT", "wrench", "arm"])
def test_arguments_hide_nothing_of_the_file(name, size, tmp_path):
    """Wrenches are named after frames, which may be named as words, functions, tables and macros of the file."""
    b = zw.ModelBuilder("hostile").add_link("base")
    frames = ("SUM_IN", "SUM_OUT", "forces", "parent", "H", "RESTRICT", "sines", "NV", "at")
    for parent, link in zip(("base", *frames), frames):
        b.add_link(link, mass=1.0, centre=[0.1, 0, 0], inertia=np.diag([0.1, 0.2, 0.2]))
        b.add_joint(f"j_{link}", "revolute", parent, link, origin=pose([0.1, 0, 0.2], [1, 0, 0]))
    code = zw.generate(b.build(), ["inverse_dynamics", "forward_dynamics"], name=name, size=size, wrenches=frames)
    status, text = self_test(code, tmp_path, COMPILERS[0])
    assert status == 0, text


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc alone says what a call needs of the stack")
@pytest.mark.parametrize("scalar", ("float", "double"))
@pytest.mark.parametrize("flag", ("-O0", "-O2"))
def test_arrays_of_loops_are_what_the_stack_is_for(scalar, flag, tmp_path):
    words = [w.replace("FRAME", "tool0") for w in zw.generate_functions() if w.split(":")[0] not in STRAIGHT_ONLY]
    code = zw.generate(ARM, words, name="arm", scalar=scalar, size=True)
    (tmp_path / "arm.h").write_text(code.header)
    (tmp_path / "arm.c").write_text(code.source)
    subprocess.run(["gcc", "-std=c99", flag, "-fstack-usage", "-c", "arm.c", "-o", "arm.o"], cwd=tmp_path, check=True)
    rows = [line.split("\t") for line in (tmp_path / "arm.su").read_text().splitlines()]
    frames = {row[0].split(":")[-1]: int(row[1]) for row in rows}
    for f in code.functions:
        # registers that are saved, scalars and addresses of arguments: some dozens of 8 bytes
        assert frames[f.name] <= f.stack + 256, f"{f.name}: {frames[f.name]} bytes, the header says {f.stack}"
        said = f"arrays of {f.stack} bytes" if f.stack > 0 else "no arrays"
        assert f"Loops; {said}" in code.header[:code.header.index(f"int {f.name}(")].rsplit("/*", 1)[1]
    assert "additions" not in code.header


def test_names_of_headers_are_refused():
    for name in ("math", "stdio", "float"):
        with pytest.raises(ValueError, match="header of C"):
            zw.generate(ARM, ["pose:tool0"], name=name)


@pytest.mark.parametrize("flags", [("-Ofast",), ("-std=gnu99", "-mfpmath=387")], ids=" ".join)
def test_compilers_that_round_otherwise(flags, tmp_path):
    """The reduction of angles would be wrong there; sines come from math.h."""
    if "-mfpmath=387" in flags and COMPILERS[0] != "gcc":
        pytest.skip("x87 arithmetic by gcc alone")
    code = zw.generate(ARM, ["inverse_dynamics", "pose:tool0"], name="arm")
    status, text = self_test(code, tmp_path, COMPILERS[0], "-O2", *flags)
    assert status == 0, text


def test_constants_that_underflow_are_zero_in_float(tmp_path):
    """Turns of half pi leave 6e-17, whose powers no float holds."""
    b = zw.ModelBuilder("turned").add_link("base")
    parent = "base"
    for k in range(6):
        b.add_link(f"l{k}", mass=1.0, centre=[0.1, 0, 1e-60], inertia=np.diag([0.1, 0.2, 0.2]))
        b.add_joint(f"j{k}", "revolute", parent, f"l{k}", origin=pose([0.1, 0, 0.2], [np.pi / 2, 0, np.pi / 2]), damping=1e-50)
        parent = f"l{k}"
    for size in (False, True):
        code = zw.generate(b.build(), ["inverse_dynamics", "jacobian:l5", "mass_matrix"], scalar="float", name="r", size=size)
        assert self_test(code, tmp_path, COMPILERS[0])[0] == 0


def test_constants_that_no_float_holds_are_refused_where_they_count():
    b = zw.ModelBuilder("stiff").add_link("base").add_link("l", mass=1.0, inertia=np.eye(3))
    b.add_joint("j", "revolute", "base", "l", damping=1e60)
    model = b.build()
    for size in (False, True):
        with pytest.raises(zw.UnsupportedError, match="1e\\+60 does not fit into a float"):
            zw.generate(model, ["bias_forces"], scalar="float", size=size)
        assert "1e+60" not in zw.generate(model, ["pose:l"], scalar="float", size=size).source


def test_light_fingers_on_long_arms_have_pivots(tmp_path):
    """M = diag(0.4, 2e-5): nothing is eliminated, however far the finger is from the root."""
    b = zw.ModelBuilder("finger").add_link("base").add_link("arm", mass=1.0, inertia=0.35 * np.eye(3))
    b.add_link("tip", mass=0.05, inertia=2e-5 * np.eye(3))
    b.add_joint("a", "revolute", "base", "arm", axis=(0, 0, 1)).add_joint("b", "revolute", "arm", "tip", origin=pose([1, 0, 0]), axis=(1, 0, 0))
    for scalar, size in (("double", False), ("float", False), ("double", True), ("float", True)):
        code = zw.generate(b.build(), ["forward_dynamics"], scalar=scalar, name="r", size=size)
        assert self_test(code, tmp_path, COMPILERS[0])[0] == 0


def test_shapes_of_few_coordinates(tmp_path):
    still = zw.ModelBuilder("still").add_link("base", mass=1.0, inertia=np.eye(3)).build()
    one = zw.ModelBuilder("one").add_link("base").add_link("l", mass=1.0, inertia=np.eye(3)).add_joint("j", "revolute", "base", "l").build()
    for model, frame in ((still, "base"), (one, "l")):
        words = ["mass_matrix", f"jacobian:{frame}", f"pose:{frame}", "inverse_dynamics", f"inverse_kinematics_step:{frame}"]
        for size in (False, True):
            code = zw.generate(model, words, name="r", size=size)
            for compiler in COMPILERS:
                assert self_test(code, tmp_path, compiler, "-O2")[0] == 0
            c, q = zw.compile_c(code, flags=("-O2", *STRICT)), model.neutral()
            for ours, theirs in ((c.mass_matrix(q), zw.mass_matrix(model, q)), (c[f"jacobian:{frame}"](q), zw.jacobian(model, q, frame)),
                                 (c[f"pose:{frame}"](q), zw.frame_pose(model, q, frame))):
                assert ours.shape == theirs.shape
                np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-14)


def test_objects_of_compiled_code():
    c = zw.compile_c(zw.generate(ARM, ["gravity_forces"]))
    assert copy.copy(c).gravity_forces(ARM.neutral()).shape == (7,)
    with pytest.raises(TypeError, match="complex"):
        c.gravity_forces(ARM.neutral() * 1j)
    with pytest.raises(TypeError, match="'flags' is the text"):
        zw.compile_c(c.code, flags="-O3")
    with pytest.raises(AttributeError, match="gravity_forces"):
        c.mass_matrix


def test_both_compilers_are_tried():
    assert COMPILERS == [x for x in ("gcc", "clang") if shutil.which(x)]


def written(model, functions, **options):
    """The functions, or nothing where generate refuses them in words."""
    try:
        return zw.compile_c(zw.generate(model, functions, **options), flags=("-O1", *STRICT))
    except zw.UnsupportedError as error:
        assert "pivot is too small" in str(error) or "away from the library" in str(error), error
        return None


def wagon():
    """x, y, yaw and an arm whose hand is light."""
    b = zw.ModelBuilder("wagon").add_link("ground").add_link("x").add_link("y").add_link("base", mass=40.0, centre=[0, 0, 0.2], inertia=np.diag([1, 1, 2.0]))
    b.add_joint("jx", "prismatic", "ground", "x", axis=(1, 0, 0)).add_joint("jy", "prismatic", "x", "y", axis=(0, 1, 0))
    b.add_joint("yaw", "continuous", "y", "base", axis=(0, 0, 1))
    parent = "base"
    for k, (mass, inertia) in enumerate(zip((4, 3, 0.8, 0.3), (0.05, 0.02, 2e-3, 3e-4))):
        b.add_link(f"l{k}", mass=mass, centre=[0.01, 0, 0.1], inertia=np.eye(3) * inertia)
        b.add_joint(f"j{k}", "revolute", parent, f"l{k}", axis=[(0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 0, 1)][k], origin=pose([0, 0, 0.25]))
        parent = f"l{k}"
    return b.build()


@pytest.mark.parametrize("scalar, size", [("double", False), ("float", False), ("double", True), ("float", True)])
def test_a_status_of_zero_keeps_its_digits_far_away(scalar, size):
    """Shifting the robot changes no acceleration. Loops carry their centre along; a straight line says what it lost."""
    model, answers = wagon(), 0
    c = written(model, ["forward_dynamics"], scalar=scalar, size=size)
    assert c is not None or (scalar, size) == ("float", False)
    for far in (1, 10, 100):
        for seed in range(5 if c else 0):
            q, v, tau = (np.float32(x).astype(float) for x in (model.random(seed=seed), *np.random.default_rng(seed).uniform(-1, 1, (2, model.nv))))
            q[0], q[1] = 0, far
            a = zw.forward_dynamics(model, np.r_[0, 0, q[2:]], v, tau)
            try:
                ours = c.forward_dynamics(q, v, tau)
            except ArithmeticError as error:
                assert "pivot" in str(error) and not size
                continue
            answers += 1
            assert np.abs(ours - a).max() <= (5e-3 if scalar == "float" else 1e-7) * np.abs(a).max()
    assert answers == 15 or not size


def test_digits_that_are_lost_are_a_refusal():
    """A light link on an arm: with double, too, nothing is left of it."""
    b = zw.ModelBuilder("tiny").add_link("base").add_link("a", mass=1.0, centre=[0.1, 0, 0], inertia=0.1 * np.eye(3)).add_link("b", mass=1.0, inertia=1e-12 * np.eye(3))
    b.add_joint("j", "continuous", "base", "a", axis=(0, 0, 1)).add_joint("k", "continuous", "a", "b", axis=(0, 0, 1), origin=pose([0.3, 0, 0]))
    for size in (False, True):
        with pytest.raises(zw.UnsupportedError, match="forward_dynamics: .*(pivot is too small|away from the library)"):
            zw.generate(b.build(), ["forward_dynamics"], size=size)


def test_inertias_are_normal_floats():
    b = zw.ModelBuilder("light").add_link("base").add_link("l", mass=1e-41, inertia=1e-41 * np.eye(3)).add_joint("j", "revolute", "base", "l")
    for size in (False, True):
        with pytest.raises(zw.UnsupportedError, match="normal float"):
            zw.generate(b.build(), ["mass_matrix"], scalar="float", size=size)
        assert zw.generate(b.build(), ["pose:l"], scalar="float", size=size).source


@pytest.mark.parametrize("size", (False, True))
@pytest.mark.parametrize("scalar", ("double", "float"))
def test_a_spring_in_every_column_compiles(scalar, size):
    b = zw.ModelBuilder("spring").add_link("base").add_link("l", mass=1.0, inertia=np.eye(3)).add_joint("j", "revolute", "base", "l", stiffness=2.0)
    model = b.build()
    for flags in (("-O2", *STRICT), ("-O0", *STRICT)):
        c = zw.compile_c(zw.generate(model, ["bias_forces"], scalar=scalar, size=size), flags=flags)
        np.testing.assert_allclose(c.bias_forces([0.3], [0]), zw.bias_forces(model, [0.3], [0]), rtol=1e-6)


@pytest.mark.parametrize("size", (False, True))
@pytest.mark.parametrize("scalar", ("double", "float"))
@pytest.mark.parametrize("kind", ("spherical", "revolute_unbounded"))
def test_coordinates_without_a_direction_are_refused(kind, scalar, size):
    b = zw.ModelBuilder("turn").add_link("base").add_link("l", mass=1.0, inertia=np.eye(3)).add_joint("j", kind, "base", "l")
    model = b.build()
    c = zw.compile_c(zw.generate(model, ["integrate", "difference", "pose:l", "mass_matrix"], scalar=scalar, size=size), flags=("-O1", *STRICT))
    unit, d = model.neutral(), np.zeros(model.nv)
    for length in (1e-3, 1.0, 1e3):
        np.testing.assert_allclose(c.integrate(unit * length, d), unit, rtol=1e-6)
    most = 1e160 if scalar == "double" else 1e25
    for length in (0.0, 1 / most, most):
        for call in (lambda q: c.integrate(q, d), lambda q: c.difference(q, unit), lambda q: c.difference(unit, q), c["pose:l"]):
            with pytest.raises(ArithmeticError, match="not numbers"):
                call(unit * length)


@pytest.mark.parametrize("size", (False, True))
@pytest.mark.parametrize("scalar", ("double", "float"))
def test_targets_are_poses(scalar, size):
    c = zw.compile_c(zw.generate(ARM, ["inverse_kinematics_step:tool0"], scalar=scalar, size=size))
    q, X = ARM.random(seed=2), zw.frame_pose(ARM, ARM.random(seed=3), "tool0")
    assert np.isfinite(c["inverse_kinematics_step:tool0"](q, X, [0.1])[0]).all()
    for turned in (np.zeros((3, 3)), 2 * X[:3, :3], np.diag([1, 1, -1]) @ X[:3, :3], X[:3, :3] + 0.01):
        wrong = X.copy()
        wrong[:3, :3] = turned
        with pytest.raises(ArithmeticError, match="not numbers"):
            c["inverse_kinematics_step:tool0"](q, wrong, [0.1])
