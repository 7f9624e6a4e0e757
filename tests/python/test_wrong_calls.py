# SPDX-License-Identifier: BSD-3-Clause
"""Calls whose arguments fit no signature: the message names the argument, and no C++ type."""
import gc

import numpy as np
import pytest
import zwang as zw


def said(call):
    with pytest.raises(TypeError) as caught:
        call()
    text = str(caught.value)
    assert "_zwang" not in text and "incompatible function arguments" not in text and "Invoked with" not in text, text
    return text.splitlines()[0]


def test_an_unknown_keyword_is_named_with_the_nearest(arm):
    q = arm.zero()
    c = zw.ConstraintSet(arm)
    solver = zw.Solver(arm, c)
    assert said(lambda: zw.inverse_dynamics(arm, q, q, q, externals={})) == \
        "E_ARGUMENT inverse_dynamics: there is no argument 'externals'; did you mean 'external'?"
    assert said(lambda: c.add_frame("tool", frame="tool0", row="all")) == \
        "E_ARGUMENT ConstraintSet.add_frame: there is no argument 'row'; did you mean 'rows'?"
    assert said(lambda: solver.solve(q=q, v=q, taus=q)) == \
        "E_ARGUMENT Solver.solve: there is no argument 'taus'; did you mean 'tau'?"
    assert said(lambda: zw.Solver(arm, c, methods="all")) == \
        "E_ARGUMENT Solver: there is no argument 'methods'; did you mean 'method'?"
    assert "'rooot'; did you mean 'root'?" in said(lambda: zw.load("models/arm7.urdf", rooot="fixed"))


def test_missing_doubled_and_surplus_arguments_are_named(arm):
    q = arm.zero()
    assert said(lambda: zw.inverse_dynamics(arm, q, q)) == "E_ARGUMENT inverse_dynamics: argument 'a' is missing"
    assert "argument 'q' is given by its position and by its name" in said(lambda: zw.mass_matrix(arm, q, q=q))
    text = said(lambda: zw.inverse_dynamics(arm, q, q, q, {}))
    assert "5 arguments by position, at most 4 are taken; 'external' and what follows it are given by name" in text
    assert "argument 'name' is missing" in said(lambda: arm.joint())
    assert "2 arguments by position, at most 1 are taken" in said(lambda: arm.joint("joint1", 2))


def test_a_wrong_type_is_named(arm):
    assert said(lambda: zw.set_threads("a")) == "E_ARGUMENT set_threads: argument 'n' has type str, expected int"
    assert "argument 'model' has type str, expected Model" in said(lambda: zw.mass_matrix("arm", arm.zero()))
    assert "argument 'name' has type float, expected str" in said(lambda: arm.joint(3.5))
    assert "argument 'constraints' has type Model, expected ConstraintSet" in said(lambda: zw.Solver(arm, arm))


def test_the_signature_follows(arm):
    with pytest.raises(TypeError) as caught:
        zw.kinetic_energy(arm)
    lines = str(caught.value).splitlines()
    assert len(lines) == 2 and lines[1].startswith("    kinetic_energy(model: Model, q: Vector")


def test_reference_and_in_are_one_word(arm):
    q = arm.random(seed=1)
    for axes in ("world", "local", "local_world_aligned"):
        np.testing.assert_array_equal(zw.jacobian(arm, q, "tool0", in_=axes), zw.jacobian(arm, q, "tool0", reference=axes))
        c = zw.ConstraintSet(arm)
        c.add_frame("tool", "tool0", "all", reference="local")
        assert c["tool"].in_ == "local"
    assert "there is no argument 'reference'" in said(lambda: zw.inverse_dynamics(arm, q, q, q, in_="world", reference="world"))
    out = np.full((6, arm.nv), 7.0)
    with pytest.raises(TypeError, match="there is no argument 'out.junk'"):
        zw.jacobian(arm, q, "tool0", in_="world", **{"out\0junk": out})
    assert np.all(out == 7)
    assert "there is no argument 'in'" in said(lambda: zw.jacobian(arm, q, "tool0", **{"in": "world"}))


def test_errors_raised_inside_pass_as_they_are(arm):
    def torque(*_):
        raise TypeError("rows(): incompatible, says the user")

    with pytest.raises(TypeError, match="says the user"):
        zw.simulate(arm, None, arm.zero(), tau=torque, time=0.01)


def test_an_error_of_a_callback_with_the_same_words_is_its_own(arm):
    words = "lift(): incompatible function arguments. The following argument types are supported:\n    1. lift(x: int) -> int\n"

    def torque(*_):
        raise TypeError(words)

    with pytest.raises(TypeError) as caught:
        zw.simulate(arm, None, arm.zero(), tau=torque, time=0.01)
    assert str(caught.value) == words

    class Path:
        def __fspath__(self):
            raise TypeError(words)

    with pytest.raises(TypeError) as caught:
        zw.load(Path())
    assert "E_ARGUMENT load: argument 'x'" not in str(caught.value)


def test_every_function_is_guarded():
    import zwang.kdl  # noqa: F401  it guards its functions, too
    from zwang import _kdl, _zwang
    assert _zwang._unguarded_functions == 0 and _kdl._unguarded_functions == 0


def test_a_wrong_call_keeps_nothing_alive(arm):
    class Big(list):
        pass

    import weakref
    big = Big([1])
    gone = weakref.ref(big)
    for _ in range(3):
        with pytest.raises(TypeError):
            zw.mass_matrix(arm, arm.zero(), never=big)
    del big
    gc.collect()
    assert gone() is None


def test_the_same_holds_for_names_of_kdl():
    kdl = pytest.importorskip("zwang.kdl")
    assert "argument 'x' has type str, expected float" in said(lambda: kdl.Vector("a", 2.0, 3.0))
    assert "has type int, expected" in said(lambda: kdl.Chain().addSegment(3))
