# SPDX-License-Identifier: BSD-3-Clause
"""What every function, method and property says of a wrong value: in Python's words, with the name of what was wrong."""
import ast
import inspect
import re

import every_object
import numpy as np
import pytest
import zwang as zw
from zwang import _zwang

FORBIDDEN = re.compile(r"::|\bstd\b|nanobind|bad_cast|bad_alloc|_zwang|incompatible function arguments|Invoked with|nb_\w+|"
                       r"vector<|basic_string|has_target|"
                       # Python's words where neither function nor argument is named
                       r"^'\w+' object is|^expected str, bytes|^float\(\) arg|^could not convert|^only 0-dim")
OWN = (TypeError, ValueError, KeyError, IndexError, OverflowError, ArithmeticError, BufferError, RuntimeError, OSError)
NOT_CALLED = {"View.open", "View.save", "Trajectory.plot", "Trajectory.to_csv"}  # these start programs, write files, need another package


def wrong_values(arm):
    return [None, True, 3, -1, 2**70, -2**70, 2.5, float("nan"), "a", b"a", [], {}, {"a": object()}, [object()], object(),
            lambda: None, arm, np.array(["a"]), 1j, np.zeros((2, 3, 4))]


def arguments_of(signature):
    """(name, type, required, by name only) of each argument but self."""
    a = ast.parse(re.sub(r"\\\d+", "...", signature) + ": ...").body[0].args
    plain = a.posonlyargs + a.args
    needed = len(plain) - len(a.defaults)
    found = [(x.arg, x.annotation, k < needed, False) for k, x in enumerate(plain)]
    found += [(x.arg, x.annotation, d is None, True) for x, d in zip(a.kwonlyargs, a.kw_defaults)]
    return [(n, ast.unparse(t) if t is not None else "", r, k) for n, t, r, k in found if n != "self"]


def good_value(name, kind, made, arm, q, v):
    """A value of the right type, for the arguments beside the wrong one."""
    if kind in made and kind not in ("Status",):
        return made[kind]
    if name in ("q", "q0", "q1"):
        return q
    if "Vector" in kind or "Array" in kind:
        return v
    if kind.startswith("str"):
        return {"joint": "joint1", "link": "link1", "constraint": "tool"}.get(name, "tool0")
    return {"int": 2, "float": 0.5, "bool": True}.get(kind, q)


def what_is_said(call, *arguments, **named):
    try:
        call(*arguments, **named)
    except OWN as error:
        return str(error)
    except AttributeError as error:
        return str(error)
    return ""


def calls():
    """Every function, constructor and method, with an object for `self`."""
    made = every_object.objects()
    for name, x in vars(_zwang).items():
        if name.startswith("_") or name == "view":
            continue
        if isinstance(x, type):
            if name not in made:
                continue
            if hasattr(x.__init__, "__nb_signature__"):
                yield name, x, x.__init__.__nb_signature__, made
            for member, f in vars(x).items():
                f = f.__func__ if isinstance(f, staticmethod) else f
                if hasattr(f, "__nb_signature__") and not member.startswith("__") and f"{name}.{member}" not in NOT_CALLED:
                    yield f"{name}.{member}", getattr(made[name], member), f.__nb_signature__, made
        elif hasattr(x, "__nb_signature__"):
            yield name, x, x.__nb_signature__, made


def test_every_class_has_an_object():
    missing = set(every_object.classes()) - set(every_object.objects())
    assert not missing


def test_no_message_has_words_of_cpp():
    arm, _, _, _, q, v = every_object.parts()
    threads, said = zw.threads(), []
    try:
        for name, call, signatures, made in calls():
            for signature, *_ in signatures:
                arguments = arguments_of(signature)
                good = {n: good_value(n, t, made, arm, q, v) for n, t, required, _ in arguments if required}
                for n, *_ in arguments:
                    for wrong in wrong_values(arm):
                        text = what_is_said(call, **{**good, n: wrong})
                        if FORBIDDEN.search(text):
                            said.append(f"{name}({n}={wrong!r:.20}): {text}")
    finally:
        zw.set_threads(threads)
    assert not said, "\n".join(said[:30])


def settable():
    made = every_object.objects()
    return [(made[name], p) for name, x in every_object.classes().items() for p, y in vars(x).items()
            if isinstance(y, property) and y.fset is not None]


def test_every_property_says_what_it_was_given():
    found = settable()
    assert len(found) >= 28
    for x, name in found:
        kept = getattr(x, name)
        place = f"{type(x).__name__}.{name}"
        for wrong in [object(), 1j, {"a": object()}, [object()]]:
            with pytest.raises((TypeError, ValueError)) as caught:
                setattr(x, name, wrong)
            text = str(caught.value)
            assert not FORBIDDEN.search(text) and name in text, (place, text)
        assert np.all(getattr(x, name) == kept) if isinstance(kept, np.ndarray) else getattr(x, name) == kept


def said(call, kind=(TypeError, ValueError)):
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value).splitlines()[0]


def test_a_property_names_its_class_and_type():
    arm, constraints, constraint, *_ = every_object.parts()
    solver = zw.Solver(arm, constraints)
    assert said(lambda: setattr(solver, "tolerance", "a")) == \
        "E_ARGUMENT Solver.tolerance: the value has type str, expected float"
    assert said(lambda: setattr(zw.JointEffects(), "damping", "a")) == \
        "E_ARGUMENT JointEffects.damping: the value has type str, expected bool"
    assert said(lambda: setattr(solver, "joint_effects", 3)) == \
        "E_ARGUMENT Solver.joint_effects: the value has type int, expected JointEffects"
    assert said(lambda: setattr(constraint, "priority", 2**70)) == \
        "E_ARGUMENT Constraint.priority: the value is an integer of more than 64 bits, which is too large"


def test_integers_beyond_their_range_are_named():
    arm, _, _, _, q, _ = every_object.parts()
    assert said(lambda: arm.random(seed=-1)) == "E_ARGUMENT Model.random: argument 'seed' is -1, expected 0 or more"
    assert said(lambda: zw.set_threads(2**70)) == \
        "E_ARGUMENT set_threads: argument 'n' is an integer of more than 64 bits, which is too large"
    assert said(lambda: zw.rollout(arm, q, steps=-2**40, dt=0.1)) == \
        "E_ARGUMENT rollout: argument 'steps' is -1099511627776, which is too small"


def test_functions_beside_methods_name_the_model():
    arm = zw.sample("arm7")
    assert said(lambda: zw.neutral(3)) == "E_ARGUMENT neutral: argument 'model' has type int, expected Model"
    assert said(lambda: zw.random("a")) == "E_ARGUMENT random: argument 'model' has type str, expected Model"
    solution = zw.Solver(arm, zw.ConstraintSet(arm)).solve(arm.neutral())
    assert said(lambda: zw.Solution.to_json(3)) == "E_ARGUMENT Solution.to_json: argument 'self' has type int, expected Solution"
    assert "1 argument by position, none is taken" in said(lambda: solution.to_json(3))


def test_errors_of_callbacks_keep_their_type():
    arm = zw.sample("arm7")
    q = arm.neutral()

    class Own(Exception):
        pass

    def fails(*_):
        raise Own("mine")

    for call in (lambda: zw.simulate(arm, None, q, tau=fails, time=0.01),
                 lambda: zw.simulate(arm, None, q, prescribed={"joint1": fails}, time=0.01),
                 lambda: zw.simulate(arm, zw.ConstraintSet(arm), q, targets=fails, time=0.01),
                 lambda: zw.simulate(arm, None, q, events=[{"name": "e", "when": fails, "stop": True}], time=0.01),
                 lambda: zw.rollout(arm, np.stack([q, q]), tau=fails, steps=2, dt=0.1)):
        with pytest.raises(Own, match="^mine$"):
            call()
    with pytest.raises(TypeError, match="takes 0 positional arguments but 3 were given"):
        zw.simulate(arm, None, q, tau=lambda: None, time=0.01)
    with pytest.raises(TypeError, match="takes 1 positional argument but 3 were given"):
        zw.simulate(arm, None, q, tau=lambda t: None, time=0.01)


def test_every_class_has_a_short_text():
    for name, x in every_object.objects().items():
        text = repr(x)
        assert "object at 0x" not in text, (name, text)
        if name not in ("Model", "ConstraintSet"):
            assert "\n" not in text and len(text) <= 200 or name.endswith(("Report", "Solution")), (name, text)
    made = every_object.objects()
    assert re.match(r"<zwang\.Assembled q \(7,\), v None, status ok, residual \S+, iterations \d+, rank \d+", repr(made["Assembled"]))
    assert repr(made["TimedPath"]).startswith("<zwang.TimedPath duration ")
    assert repr(made["InverseKinematicsResult"]).startswith("<zwang.InverseKinematicsResult q (7,), status ok, error ")


def test_a_signature_is_written_once():
    """Functions get their arguments from the signature (python/src/signature.hpp), from the list of algorithms or of settings."""
    import pathlib
    generated = {"algorithms.cpp", "row_call.hpp", "settings.hpp"}
    twice = re.compile(r"nb::arg\(\"(?:(?!\bdef\w*\()[^;])*?nb::sig\(", re.S)
    for file in (pathlib.Path(__file__).parents[2] / "python" / "src").glob("*.?pp"):
        if file.name not in generated:
            assert not twice.search(file.read_text()), file


def test_signatures_say_the_defaults_that_hold():
    """Of a function made from its signature, inspect sees the text, and a call with every default written out is the same call."""
    arm, constraints, *_ = every_object.parts()
    text = zw.Solver.__init__.__nb_signature__[0][0]
    values = {name: ast.literal_eval(default) for name, default in re.findall(r"(\w+): [^=,()]+ = ([^,)]+)", text)
              if name not in ("joint_effects", "motor_limits")}
    assert values["method"] == "automatic" and values["max_iterations"] == 200
    solver = zw.Solver(arm, constraints, **values)
    for name in ("method", "tolerance", "singularity", "regularisation", "feasibility", "max_iterations"):
        assert getattr(zw.Solver(arm, constraints), name) == getattr(solver, name) == values[name]
    assert inspect.isroutine(zw.Solver.solve)


def test_a_wrong_setting_is_refused_as_any_wrong_argument():
    """Settings are keyword arguments that are made from a list (python/src/settings.hpp)."""
    arm, constraints, *_ = every_object.parts()
    with pytest.raises(TypeError, match="assemble: there is no argument 'tolerence'; did you mean 'tolerance'"):
        zw.assemble(arm, constraints, arm.neutral(), tolerence=1e-6)
    with pytest.raises(TypeError, match="Solver: argument 'tolerance' has type str, expected float"):
        zw.Solver(arm, constraints, tolerance="small")
    with pytest.raises(TypeError, match="'attempts' is an integer of more than 64 bits, which is too large"):
        zw.assemble(arm, constraints, arm.neutral(), attempts=2**70)
    with pytest.raises(TypeError, match="at most 3 are taken; 'fixed' and what follows it are given by name"):
        zw.assemble(arm, constraints, arm.neutral(), "joint1")
    with pytest.raises(ValueError, match="there is no integrator named 'rk5'; did you mean 'rk4'"):
        zw.simulate(arm, None, arm.neutral(), integrator="rk5")
    solver = zw.Solver(arm, constraints)
    for use in (lambda word: zw.Solver(arm, constraints, singularity=word), lambda word: setattr(solver, "singularity", word)):
        with pytest.raises(ValueError, match="there is no singularity policy named 'dampin'; did you mean 'damping'"):
            use("dampin")
    for given in ({}, {"joint_effects": None}, {"fixed": "joint1"}, {"tolerance": np.float32(1e-6)}):
        f, also = (zw.assemble, (arm.neutral(),)) if "joint_effects" not in given else (zw.Solver, ())
        assert f(arm, constraints, *also, **given) is not None


def test_a_folder_of_packages_that_is_not_there_is_refused(tmp_path):
    for options in ({"package_dirs": tmp_path / "nowhere"}, {"package_dirs": [tmp_path, tmp_path / "nowhere"]}):
        with pytest.raises(ValueError, match="^E_URI_PACKAGE load: option 'package_dirs' has '.*nowhere', where there is no folder$"):
            zw.load("models/arm7.urdf", **options)
    with pytest.raises(ValueError, match="'packages' has '.*nowhere' for package 'hand', where there is no folder"):
        zw.load("models/arm7.urdf", packages={"hand": tmp_path / "nowhere"})


def test_a_part_of_a_name_is_enough_to_be_told_it():
    arm = zw.sample("quadruped")
    assert said(lambda: zw.frame_pose(arm, arm.neutral(), "foot"), ValueError).endswith(
        "there is no frame named 'foot'; did you mean 'LF_foot', 'RF_foot', 'LH_foot' or 'RH_foot'?")
    assert "did you mean 'pv_" in said(lambda: zw.describe_method("pv"), ValueError)


def test_loops_are_asked_for_by_true():
    names = [[x.name for x in zw.load("models/five_bar.urdf", loops=x).loops] for x in (True, "constraints")]
    assert names[0] == names[1] != []
    with pytest.raises(zw.ModelError):
        zw.load("models/five_bar.urdf", loops=False)
