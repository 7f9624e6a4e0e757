# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that a property makes at each reading are read-only: what is written into them would be lost without a word."""
import copy

import every_object
import numpy as np
import pytest
import zwang as zw

DOG = zw.load("models/quadruped.urdf", root="floating")
ARM = zw.load("models/arm7.urdf")
LOOP = zw.load("models/five_bar.urdf", loops=True)


def arrays_in(value):
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from arrays_in(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from arrays_in(one)


def properties(x):
    """Name and value of each property that x has."""
    for name, member in vars(type(x)).items():
        if isinstance(member, property) or type(member).__name__ == "member_descriptor":
            try:
                yield name, getattr(x, name)
            except (AttributeError, ValueError, RuntimeError):
                continue


def lost(x):
    """Properties whose arrays may be written, and show nothing of it at the next reading."""
    found = []
    for name, value in properties(x):
        for k, array in enumerate(arrays_in(value)):
            if not array.flags.writeable or array.size == 0:
                continue
            again = list(arrays_in(getattr(x, name)))[k]
            if not np.shares_memory(array, again):
                found.append(f"{type(x).__name__}.{name}")
    return found


def test_nothing_written_is_lost_without_a_word():
    objects = list(every_object.objects().values())
    objects += [part for model in (DOG, LOOP, ARM) for part in (model, *model.joints, *model.links, *model.loops)]
    assert len(objects) > 100
    assert sum(1 for x in objects for _, value in properties(x) for _ in arrays_in(value)) > 500
    assert [name for x in objects for name in lost(x)] == []


@pytest.mark.parametrize("model", [DOG, ARM, LOOP], ids=["floating", "arm", "loop"])
def test_a_model_and_its_parts_refuse_writes(model):
    tried = 0
    for x in (model, model.joints[-1], model.links[-1], *model.loops):
        for _, value in properties(x):
            for array in arrays_in(value):
                with pytest.raises(ValueError, match="read-only"):
                    array[...] = 0
                tried += 1
    assert tried > 25  # the properties of a model, of one joint and of one link


def test_the_limits_of_a_model_are_read_only_and_a_copy_is_not():
    for array in (*ARM.limits, ARM.upper, ARM.inertial_parameters, ARM.gravity, ARM.actuated):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
        mine = array.copy()
        mine[0] = 1
        assert copy.copy(array) is not array and mine[0] == 1


def test_new_arrays_of_calls_may_be_written():
    for array in (ARM.neutral(), ARM.zero(), ARM.random(1), ARM.layout(["joint2"]).q, zw.mass_matrix(ARM, ARM.neutral())):
        array[...] = 0


def test_results_keep_what_is_written():
    q = ARM.random(2)
    s = zw.Solver(ARM, zw.ConstraintSet(ARM)).solve(q, ARM.zero())
    s.acceleration[1] = 7
    derivatives = zw.inverse_dynamics_derivatives(ARM, q, ARM.zero(), ARM.zero())
    derivatives.q[0, 0] = 7
    poses = zw.inverse_kinematics(ARM, {"tool0": zw.frame_pose(ARM, q, "tool0")}, q)
    poses.q[0] = 7
    assert s.acceleration[1] == derivatives.q[0, 0] == poses.q[0] == 7


def test_arrays_of_a_constraint_are_set_whole():
    constraint = zw.ConstraintSet(ARM).add_frame("tool", "tool0", "linear")
    for name in ("beta", "target", "weight"):
        setattr(constraint, name, [1.0, 2, 3])
        with pytest.raises(ValueError, match="read-only"):
            getattr(constraint, name)[0] = 5
        assert list(getattr(constraint, name)) == [1, 2, 3]
    with pytest.raises(ValueError, match="read-only"):
        constraint.definition["matrix"][0, 0] = 2
