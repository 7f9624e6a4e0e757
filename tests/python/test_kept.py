# SPDX-License-Identifier: BSD-3-Clause
"""pickle, copy, deepcopy and cloudpickle: functions by name, methods with their object, results number by number."""
import copy
import enum
import functools
import multiprocessing
import pickle

import every_object
import numpy as np
import pytest
import zwang as zw
import zwang.kdl
from zwang import _kdl, _zwang

ARM = zw.load("models/arm7.urdf")
DOG = zw.load("models/quadruped.urdf", root="floating")
WAYS = {f"pickle {p}": lambda x, p=p: pickle.loads(pickle.dumps(x, p)) for p in (2, 3, 4, 5)}
WAYS |= {"copy": copy.copy, "deepcopy": copy.deepcopy}
try:
    import cloudpickle
    WAYS["cloudpickle"] = lambda x: pickle.loads(cloudpickle.dumps(x))
except ImportError:
    pass
# What lives where it was made, and says so.
REFUSED = {"Solver", "Assembler", "InverseKinematics", "Delassus", "ContactCholesky", "WrenchObserver", "BatchSimulator", "ThreadScope",
           "ContactRollout"}


def parts_of(x):
    """What an object shows of itself: the values of its properties."""
    found = {}
    for name, member in vars(type(x)).items():
        if isinstance(member, property):
            try:
                found[name] = getattr(x, name)
            except (AttributeError, ValueError, RuntimeError) as error:
                found[name] = type(error).__name__
    return found


def differences(a, b, place="", depth=0):
    """Where two values differ, looking into what they show."""
    if type(a) is not type(b):
        return [f"{place}: {type(a).__name__}, {type(b).__name__}"]
    if isinstance(a, np.ndarray):
        same = a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        return [] if same else [place]
    if isinstance(a, (list, tuple)):
        found = [f"{place}: length"] if len(a) != len(b) else []
        return found + [d for k, (x, y) in enumerate(zip(a, b)) for d in differences(x, y, f"{place}[{k}]", depth + 1)]
    if isinstance(a, dict):
        found = [f"{place}: keys"] if list(a) != list(b) else []
        return found + [d for k in a if k in b for d in differences(a[k], b[k], f"{place}[{k}]", depth + 1)]
    if isinstance(a, float):
        return [] if a == b or (a != a and b != b) else [f"{place}: {a}, {b}"]
    if type(a).__module__ == "zwang._zwang" and not isinstance(a, enum.Enum):
        if depth > 6:
            return []
        return [d for k, x in parts_of(a).items() for d in differences(x, parts_of(b)[k], f"{place}.{k}", depth + 1)]
    return [] if a == b else [f"{place}: {a!r:.40}, {b!r:.40}"]


@pytest.fixture(scope="module")
def objects():
    return every_object.objects()


@pytest.mark.parametrize("way", WAYS)
def test_every_object_comes_back_equal_or_says_why_not(objects, way):
    assert set(every_object.classes()) <= set(objects)
    wrong, kept = [], 0
    for name, x in objects.items():
        if name in REFUSED:
            with pytest.raises(TypeError, match=f"a {name} cannot be pickled or copied: .*; .*"):
                WAYS[way](x)
            continue
        again = WAYS[way](x)
        wrong += differences(x, again, name)
        wrong += [name] if repr(again) != repr(x) else []
        kept += 1
    assert wrong == [] and kept > 60


def test_named_tuples_come_back(objects):
    path = objects["ConfigurationPath"]
    for x in (ARM.limits, ARM.layout(["joint1"]), path.at(0.5), objects["TimedPath"].at([0, 0.1]),
              objects["MotionProfile"].at(0.2)):
        assert differences(x, pickle.loads(pickle.dumps(x))) == []


def functions():
    for module in (_zwang, _kdl):
        for name, x in vars(module).items():
            if type(x).__name__ == "nb_func" and not name.startswith("_"):
                yield x
            elif isinstance(x, type) and x.__module__ == module.__name__:
                for member in vars(x):
                    f = getattr(x, member)
                    if type(f).__name__ in ("nb_func", "nb_method") and not member.startswith("__"):
                        yield f


@pytest.mark.parametrize("way", WAYS)
def test_every_function_comes_back_itself(way):
    all_functions = list(functions())
    assert len(all_functions) > 500
    assert [f.__qualname__ for f in all_functions if WAYS[way](f) is not f] == []


@pytest.mark.parametrize("way", WAYS)
def test_partial_functions_and_methods_of_objects_come_back(way):
    q = ARM.random(3)
    M = WAYS[way](functools.partial(zw.mass_matrix, ARM))
    assert np.array_equal(M(q), zw.mass_matrix(ARM, q))
    assert np.array_equal(WAYS[way](ARM.random)(seed=5), ARM.random(seed=5))
    line = zw.ConfigurationPath.line(ARM, q, ARM.neutral())
    assert np.array_equal(WAYS[way](line.at)(0.3).q, line.at(0.3).q)
    builder = zw.ModelBuilder("one").add_link("a", 1)
    WAYS[way](builder.add_link)("b", 2)
    assert WAYS[way](zw.kdl.Vector(1, 2, 3).Norm)() == zw.kdl.Vector(1, 2, 3).Norm()


def whole(model, q):
    """A trajectory from a worker."""
    return zw.simulate(model, None, q, time=0.01)


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_workers_take_functions_and_give_results(start):
    states = [ARM.random(k) for k in range(3)]
    with multiprocessing.get_context(start).Pool(2) as pool:
        matrices = pool.starmap_async(zw.mass_matrix, [(ARM, q) for q in states]).get(timeout=300)
        motions = pool.starmap_async(whole, [(ARM, q) for q in states]).get(timeout=300)
        randoms = pool.map_async(ARM.random, range(3)).get(timeout=300)
    for q, M, t, r in zip(states, matrices, motions, randoms):
        assert np.array_equal(M, zw.mass_matrix(ARM, q)) and np.array_equal(r, q)
        assert differences(whole(ARM, q), t) == []


@pytest.mark.parametrize("model", [ARM, DOG], ids=["arm", "floating"])
def test_paths_and_motions_give_the_same_points_to_the_last_bit(model):
    points = np.array([zw.integrate(model, model.neutral(), 0.2 * np.sin(np.arange(model.nv) + k)) for k in range(5)])
    spline = zw.ConfigurationPath.through(model, points)
    pose = zw.frame_pose(model, points[0], model.link_names[-1])
    turned = pose @ zw.exp_se3([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    arc = zw.PosePath.arc(pose, [0, 0, 0.3], [1, 2, 3], 4.0, turn=True)
    time = np.linspace(0, 3, 31)
    for path in (spline, zw.ConfigurationPath.line(model, points[0], points[3]), zw.PosePath.line(pose, turned), arc,
                 zw.PosePath.through([pose, turned, turned @ zw.exp_se3([0, 0, 0.2, 0.1, -0.2, 0.3])])):
        s = np.linspace(path.begin, path.end, 37)
        again = pickle.loads(pickle.dumps(path))
        assert differences(path.at(s), again.at(s)) == [] and np.array_equal(path.knots, again.knots)
    for motion in (zw.move(model, points[0], points[1], velocity=np.ones(model.nv), acceleration=2, jerk=9),
                   zw.time_path(spline, velocity=np.ones(model.nv), acceleration=np.ones(model.nv),
                                torque=np.full(model.nv, np.inf)).motion):
        again = copy.deepcopy(motion)
        assert motion.duration == again.duration and differences(motion.at(time), again.at(time)) == []
    profile = zw.MotionProfile(0, 3, velocity=1, acceleration=2, jerk=5, start_velocity=0.2)
    assert differences(profile.at(time), pickle.loads(pickle.dumps(profile)).at(time)) == []


def test_derivatives_of_a_solution_still_answer_for_wrenches(objects):
    x = objects["SolutionDerivatives"]
    again = pickle.loads(pickle.dumps(x))
    assert np.array_equal(x.acceleration.external("tool0"), again.acceleration.external("tool0"))
    selected = zw.forward_dynamics_derivatives(ARM, ARM.neutral(), ARM.zero(), ARM.zero(), wrt=["q", "external"])
    assert np.array_equal(selected.external("tool0"), copy.deepcopy(selected).external("tool0"))


def test_a_set_with_a_function_that_has_no_name_says_so():
    held = zw.ConstraintSet(ARM)
    held.add_custom("f", lambda q, v: (q[:1], np.eye(1, 7), np.zeros(1)), rows=1)
    for x in (held, zw.mobility(ARM, held, ARM.neutral()), held["f"]):
        with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
            pickle.dumps(x)


@pytest.mark.parametrize("name, change", [
    ("ConfigurationPath", lambda s: (s[0], s[1][:-1])), ("ConfigurationPath", lambda s: (s[0], -s[1])),
    ("ConfigurationPath", lambda s: (1, s[1])), ("ConfigurationPath", lambda s: (s[0], s[1] * np.nan)),
    ("PosePath", lambda s: (np.ones(21),)), ("PosePath", lambda s: (np.zeros(0),)), ("PosePath", lambda s: ("a",)),
    ("MotionProfile", lambda s: (np.ones(45),)), ("MotionProfile", lambda s: (-s[0],)), ("MotionProfile", lambda s: 3),
    ("TimedPath", lambda s: (s[0], s[1][:-1])), ("TimedPath", lambda s: (s[1], s[1])),
    ("Joint", lambda s: (s[0], 99)), ("Link", lambda s: (s[0], -1)), ("Loop", lambda s: ("robot", 0)), ("Frame", lambda s: (s[0], 10**6)),
    ("ConstraintSolution", lambda s: (s[0], ("index", 7))), ("ConstraintSolution", lambda s: (s[0][1], 0)),
    ("GroupSolution", lambda s: (("solution", None), *s[1:])), ("ConstraintImpulse", lambda s: (s[0], ("index", 2**40))),
    ("Mobility", lambda s: (s[0], s[1], s[2], s[3][:-1])),
    ("Mobility", lambda s: (s[0][:3] + (3,) + s[0][4:], *s[1:])), ("Trajectory", lambda s: s[:-1]),
    ("Trajectory", lambda s: (*s, 1)), ("Scene", lambda s: (3, s[1])), ("Scene", lambda s: (s[0], s[1][:-1])),
    ("Scene", lambda s: (s[0], (*s[1][:2], tuple((*x[:5], 8, *x[6:]) for x in s[1][2]), *s[1][3:]))),
    ("Scene", lambda s: (s[0], (*s[1][:2], tuple((*x[:6], (1.0,), *x[7:]) for x in s[1][2]), *s[1][3:]))),
    ("ContactStates", lambda s: ()), ("ContactStates", lambda s: (((*s[0][0][:3], (0, 5, 3)),),)),
    ("ContactStates", lambda s: (((*s[0][0][:3], ()),),)), ("InverseSolution", lambda s: (*s[:6], ("reports", ()), *s[7:])),
    ("AssemblyReport", lambda s: (77, *s[1:])), ("SolutionJacobian", lambda s: (*s[:5], ((s[5][0][0], 9, *s[5][0][2:]),)))])
def test_a_pickle_of_a_result_is_not_believed(objects, name, change):
    x = objects[name]
    wrong = change(x.__getstate__())
    with pytest.raises(ValueError, match="E_PICKLE|E_DTYPE|E_SIZE|numbers|not finite|finite"):
        type(x).__new__(type(x)).__setstate__(wrong)


@pytest.mark.parametrize("name", ["InputGradient", "Followed", "PathTiming", "InverseSolution"])
def test_a_pickle_by_position_is_of_another_version(objects, name):
    """As earlier versions wrote them."""
    x = objects[name]
    by_name = x.__getstate__()
    for first in (by_name[0][1], None, 1.0, "text", (1, 2, 3), ("status",), np.zeros(2)):
        with pytest.raises(ValueError, match=f"E_PICKLE {name}: another version of zwang has written this: there is no "
                                             f"'{by_name[0][0]}'; pickle the object again"):
            type(x).__new__(type(x)).__setstate__((first, *(value for _, value in by_name[1:])))
