# SPDX-License-Identifier: BSD-3-Clause
"""zwang.pinocchio: what is compiled. Views and their owners, states that are kept, subclasses, words; data of geometry."""
import ast
import copy
import gc
import pathlib
import pickle
import weakref

import numpy as np
import pytest
import zwang as zw
import zwang.pinocchio as pin
from conftest import EPS, ROOT
from nearness import nearness
from zwang.pinocchio import _compiled, constrained

URDF = str(ROOT / "models" / "humanoid.urdf")
near = nearness(1e4 * EPS)


@pytest.fixture(scope="module")
def robot():
    model = pin.buildModelFromUrdf(URDF, pin.JointModelFreeFlyer())
    rng = np.random.default_rng(4)
    states = [(pin.integrate(model, pin.neutral(model), rng.uniform(-1, 1, model.nv)), *rng.uniform(-1, 1, (2, model.nv))) for _ in range(3)]
    return model, states


def test_types_are_written_of_all_that_is_compiled():
    tree = ast.parse((pathlib.Path(_compiled.__file__).parent / "_compiled.pyi").read_text(encoding="utf-8"))
    written = {n.name: ast.get_docstring(n) for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    there = {name: x for name, x in vars(zw._zwang._pinocchio).items() if not name.startswith("_")}
    assert set(written) == set(there)
    for name, x in there.items():
        said = x.__nb_signature__[0][1] if hasattr(x, "__nb_signature__") else None
        assert not said or said.split() == (written[name] or "").split(), name
    assert zw._zwang._pinocchio._unguarded_functions == 0


def test_views_keep_what_they_look_at():
    p, R, v = pin.SE3.Random().translation, pin.SE3.Random().rotation, pin.Motion.Random().linear
    kept = p.copy(), R.copy(), v.copy()
    gc.collect()
    for _ in range(100):
        pin.SE3.Random(), pin.Motion.Random()
    assert all((a == b).all() for a, b in zip((p, R, v), kept))
    array = np.arange(6.0)
    m = pin.Motion.view(array)
    m.angular[0] = 9
    m += m
    assert array.tolist() == [0, 2, 4, 18, 8, 10]
    with pytest.raises(ValueError, match="one after the other"):
        pin.Motion.view(np.arange(12.0)[::2])


def test_a_class_of_ones_own_stays_what_it_is():
    class Twist(pin.Motion):
        def speed(self):
            return np.linalg.norm(self.linear)

    class Placement(pin.SE3):
        name = "tool"

    v, M = Twist([3, 0, 4], [0, 0, 0]), Placement(np.eye(3), [1, 2, 3])
    assert (v + v).speed() == 10 and type(v.copy()) is Twist and (2 * v).speed() == 10
    M.name = "other"
    assert M.name == "other" and (M * pin.SE3.Identity()).translation.tolist() == [1, 2, 3]
    assert pin.SE3(M) == M and pin.Motion(v) == pin.Motion([3, 0, 4], [0, 0, 0])


def test_what_was_never_made_is_refused():
    for empty in (pin.SE3.__new__(pin.SE3), pin.Motion.__new__(pin.Motion), pin.Data.__new__(pin.Data)):
        with pytest.raises((TypeError, RuntimeError)), pytest.warns(RuntimeWarning):
            empty.copy() if not isinstance(empty, pin.Data) else empty.oMf


@pytest.mark.parametrize("call, error, says", [
    (lambda m, d, q: pin.SE3(1, 2, 3), TypeError, "SE3"),
    (lambda m, d, q: pin.SE3(np.eye(2), np.zeros(3)), ValueError, r"rotation has shape \(2, 2\), expected \(3, 3\)"),
    (lambda m, d, q: pin.Motion(np.zeros(5)), ValueError, r"vector has shape \(5,\), expected \(6,\)"),
    (lambda m, d, q: pin.Motion(pin.Force.Zero()), TypeError, "Motion is not made of a Force"),
    (lambda m, d, q: pin.Motion.Zero() + pin.Force.Zero(), TypeError, "unsupported operand"),
    (lambda m, d, q: pin.integrate(m, q, q), ValueError, "v has shape"),
    (lambda m, d, q: pin.integrate(m, q[None, :, None], q), ValueError, "q has shape"),
    (lambda m, d, q: pin.getFrameJacobian(m, d, 10000, pin.LOCAL), IndexError, "frame 10000 does not exist"),
    (lambda m, d, q: pin.getFrameJacobian(m, d, 1, "LOCAL"), TypeError, "getFrameJacobian"),
    (lambda m, d, q: pin.getFrameJacobian(m, d, 1, 3), TypeError, "getFrameJacobian"),
    (lambda m, d, q: pin.getJointJacobian(m, d, -1, pin.LOCAL), IndexError, "joint -1 does not exist"),
    (lambda m, d, q: pin.rnea(d, m, q, q, q), TypeError, "argument 'model' has type Data"),
    (lambda m, d, q: pin.rnea(m, d, q=q, v=q), TypeError, "argument 'a' is missing"),
    (lambda m, d, q: pin.crba(m, d, q, speed=1), TypeError, "there is no argument 'speed'"),
    (lambda m, d, q: pin.forwardKinematics(m, d, np.full(m.nq, np.nan)) or d.oMf[3], ValueError, "nan|NaN|finite"),
    (lambda m, d, q: pin.exp3([0, np.inf, 0]), ValueError, "w"),
    (lambda m, d, q: pin.log3(2 * np.eye(3)), ValueError, "no rotation"),
    (lambda m, d, q: pin.randomConfiguration(m), ValueError, "has no bounds"),
    (lambda m, d, q: d.oMf[10000], IndexError, "out of range"),
    (lambda m, d, q: pin.constraintDynamics(m, d, q, np.zeros(m.nv), np.zeros(m.nv), [1]), TypeError, "constraint 0 has type int"),
])
def test_refusals_name_what_is_wrong(robot, call, error, says):
    model, states = robot
    data = model.createData()
    pin.forwardKinematics(model, data, states[0][0])
    with pytest.raises(error, match=says):
        call(model, data, states[0][0])


def test_poses_are_those_of_the_state_in_which_they_were_read(robot):
    model, states = robot
    data, frame = model.createData(), model.nframes - 1
    held, lists = [], []
    for q, v, a in states * 2:
        pin.forwardKinematics(model, data, q, v, a)
        held.append((data.oMf[frame], data.oMf[frame].homogeneous, data.oMi[3].translation, data.oMi[3].translation.copy()))
        lists.append(data.oMf)
    for k, (pose, then, translation, copied) in enumerate(held):
        assert (pose.homogeneous == then).all() and (translation == copied).all()
        near(then, zw.frame_pose(model.core().model, model.core().q(states[k % 3][0]), model.core().frame_ids[frame]))
        assert (lists[k][frame].homogeneous == then).all() and (lists[k][-1].homogeneous == then).all()
    assert len(lists[0][2:5]) == 3 and len(list(lists[0])) == len(lists[0]) == model.nframes


def test_velocities_stay_where_only_q_moves(robot):
    model, states = robot
    data = model.createData()
    (q, v, a), (other, _, _), _ = states
    pin.forwardKinematics(model, data, q, v, a)
    local = pin.getVelocity(model, data, 5)
    pin.rnea(model, data, q, v, a)
    pin.forwardKinematics(model, data, other)
    assert pin.getVelocity(model, data, 5) == local
    with pytest.raises(RuntimeError, match="q has changed"):
        pin.getVelocity(model, data, 5, pin.WORLD)
    pin.forwardKinematics(model, data, q, v)  # the acceleration given before at (q, v) is gone with the state that had it
    with pytest.raises(RuntimeError, match="no acceleration"):
        pin.getAcceleration(model, data, 5)


def test_nothing_keeps_a_model_that_is_gone(robot):
    model = robot[0].copy()
    data = model.createData()
    q, v, a = robot[1][0]
    pin.computeAllTerms(model, data, q, v)
    pin.rnea(model, data, q, v, a)
    contact = pin.RigidConstraintModel(pin.CONTACT_6D, model, 7, pin.LOCAL)
    pin.constraintDynamics(model, data, q, v, a, [contact], [contact.createData()])
    data.v[1], data.oMf[1], data.J, data.copy()
    gone = weakref.ref(model.core()), weakref.ref(model), weakref.ref(data)
    del model, data, contact
    gc.collect()
    assert [x() for x in gone] == [None, None, None]


def test_quaternions_of_every_rotation():
    """Half turns about any axis too; w is never negative."""
    rng = np.random.default_rng(2)
    for k in range(60):
        axis = rng.normal(size=3) if k % 4 else np.eye(3)[k // 4 % 3]
        R = pin.exp3(axis / np.linalg.norm(axis) * (np.pi if k % 2 else rng.uniform(-3, 3)))
        q = pin.Quaternion(R).coeffs()
        assert q[3] >= 0 and abs(np.linalg.norm(q) - 1) < 4 * EPS
        near(pin.Quaternion(q).matrix(), R, 20 * EPS)
        M = pin.SE3(R, axis)
        near(pin.XYZQUATToSE3(pin.SE3ToXYZQUAT(M)), M.homogeneous, 20 * EPS)
        assert M.isApprox(pin.XYZQUATToSE3(pin.SE3ToXYZQUAT(M)), 1e-14) and not M.isApprox(M * pin.SE3(np.eye(3), [0, 0, 1e-3]))
    near(pin.rpy.rpyToMatrix(0.1, 0.2, 0.3), pin.rpy.rotate("z", 0.3) @ pin.rpy.rotate("y", 0.2) @ pin.rpy.rotate("x", 0.1))
    for wrong in ((1, 2), ([1, 2],)):
        with pytest.raises(ValueError, match="expected"):
            pin.rpy.rpyToMatrix(*wrong)


def test_random_configurations_fill_their_bounds_and_their_spheres(robot):
    model = robot[0]
    low, high = np.full(model.nq, -2.0), np.full(model.nq, 1.0)
    pin.seed(3)
    drawn = np.stack([pin.randomConfiguration(model, low, high) for _ in range(4000)])
    pin.seed(3)
    assert (pin.randomConfiguration(model, low, high) == drawn[0]).all()
    flat = np.delete(drawn, np.s_[3:7], axis=1)
    deviation = 5 / np.sqrt(len(drawn))  # five standard deviations of a mean of numbers of variance 1
    assert flat.min() >= -2 and flat.max() <= 1 and np.abs(flat.mean(axis=0) + 0.5).max() < deviation
    assert np.abs(flat.std(axis=0) - np.sqrt(0.75)).max() < deviation
    quaternions = drawn[:, 3:7]
    assert np.abs(np.linalg.norm(quaternions, axis=1) - 1).max() < 10 * EPS
    assert np.abs(quaternions.T @ quaternions / len(drawn) - np.eye(4) / 4).max() < deviation


@pytest.mark.parametrize("kind", [pin.CONTACT_3D, pin.CONTACT_6D])
@pytest.mark.parametrize("axes", [pin.LOCAL, pin.LOCAL_WORLD_ALIGNED])
@pytest.mark.parametrize("other", [0, 12])
def test_constrained_accelerations_are_those_of_dense_matrices(robot, kind, axes, other):
    model, states = robot
    q, v, tau = states[1]
    pin.seed(8)
    A, B = pin.SE3.Random(), pin.SE3.Random()
    contact = pin.RigidConstraintModel(kind, model, 7, A, other, B, axes)
    second = pin.RigidConstraintModel(pin.CONTACT_3D, model, 20, B, pin.LOCAL)
    if axes == pin.LOCAL or kind == pin.CONTACT_3D:
        contact.corrector.Kp, contact.corrector.Kd = 3.0, np.linspace(1, 2, contact.size())
    contact.desired_contact_acceleration = pin.Motion.Random()
    models, results = [contact, second], []
    for solve in (pin.constraintDynamics, constrained._dependent):
        data, found = model.createData(), [c.createData() for c in models]
        a = solve(model, data, q, v, tau, models, found, None)
        results.append((a, data.lambda_c, found, data))
    near(results[0][0], results[1][0], 1e-9)
    near(results[0][1], results[1][1], 1e-9)
    for one, two in zip(results[0][2], results[1][2]):
        for name in ("contact_force", "contact_placement_error", "contact_velocity_error", "oMc1", "oMc2", "c1Mc2"):
            near(getattr(one, name).np, getattr(two, name).np, 1e-9)
    data, at = results[0][3], results[0][2][0]
    near(at.oMc1, (data.oMi[7] * A).homogeneous)
    near(at.oMc2, (data.oMi[other] * B).homogeneous)
    near(at.c1Mc2, at.oMc1.actInv(at.oMc2))
    for again in (copy.copy(at), copy.deepcopy(at), pickle.loads(pickle.dumps(at)), at.copy()):
        assert again.contact_force == at.contact_force and again.oMc2 == at.oMc2
    pin.constraintDynamics(model, data, q, v, tau, [second])
    by = pin.computeConstraintDynamicsDerivatives(model, data, [second])
    step = 0.1 * np.eye(model.nv)[9]  # accelerations are quadratic in v: their differences are exact
    ends = [pin.constraintDynamics(model, model.createData(), q, v + s * step, tau, [second]) for s in (1, -1)]
    near(by[1][:, 9], (ends[0] - ends[1]) / 0.2, 1e-9)


def test_joints_in_any_order_and_planar_ones():
    """Joints that were not added depth first, with a planar one: numbers of zwang in another order than those here."""
    model = pin.Model()
    pin.seed(5)
    for k, (parent, kind) in enumerate([(0, pin.JointModelFreeFlyer), (1, pin.JointModelRX), (1, pin.JointModelPlanar), (2, pin.JointModelSpherical),
                                        (3, pin.JointModelRUBZ), (4, pin.JointModelPY)]):
        model.addJoint(parent, kind(), pin.SE3.Random(), f"j{k}")
        model.appendBodyToJoint(k + 1, pin.Inertia.Random())
        model.addJointFrame(k + 1)
    assert model.core().at_v is not None and not model.core().same_q
    rng = np.random.default_rng(1)
    q = pin.integrate(model, pin.neutral(model), rng.uniform(-1, 1, model.nv))
    v, tau = rng.uniform(-1, 1, (2, model.nv))
    near(pin.difference(model, q, pin.integrate(model, q, v)), v)
    near(pin.interpolate(model, q, pin.integrate(model, q, v), 0.25), pin.integrate(model, q, v / 4))
    data, contact = model.createData(), pin.RigidConstraintModel(pin.CONTACT_6D, model, 6, pin.SE3.Random(), pin.LOCAL)
    M = pin.crba(model, data, q)
    a = pin.aba(model, data, q, v, tau)
    near(M @ a + pin.nle(model, data, q, v), tau, 1e-10)
    near(pin.rnea(model, data, q, v, a), tau, 1e-10)
    near(pin.computeMinverse(model, data, q) @ M, np.eye(model.nv), 1e-9)
    pin.forwardKinematics(model, data, q, v)
    for k in range(1, model.njoints):
        near(pin.getJointJacobian(model, data, k, pin.WORLD) @ v, pin.getVelocity(model, data, k, pin.WORLD))
        own = slice(model.joints[k].idx_v, model.joints[k].idx_v + model.joints[k].nv)
        near(pin.getJointJacobian(model, data, k, pin.WORLD)[:, own], pin.computeJointJacobians(model, data, q)[:, own])
    pin.centerOfMass(model, data, q, v)
    near(pin.jacobianCenterOfMass(model, data, q) @ v, data.vcom[0])
    pin.computeAllTerms(model, data, q, v)
    near(data.M, M)
    near(data.Ag @ v, data.hg.vector)
    near(M @ pin.constraintDynamics(model, data, q, v, tau, [contact]) + data.nle, tau + pin.getConstraintsJacobian(model, data, [contact]).T @ data.lambda_c, 1e-9)
    near(data.ddq, constrained._dependent(model, model.createData(), q, v, tau, [contact], None, None), 1e-9)
    by_q, by_v, by_a = pin.computeRNEADerivatives(model, data, q, v, a)
    near(by_a, M)
    step = 0.1 * np.eye(model.nv)
    near(by_v, np.stack([(pin.rnea(model, data, q, v + e, a) - pin.rnea(model, data, q, v - e, a)) / 0.2 for e in step], axis=1), 1e-10)
    near(pin.computeABADerivatives(model, data, q, v, tau)[1], -np.linalg.solve(M, by_v), 1e-9)
    near(pin.computeABADerivatives(model, data, q, v, tau)[0], -np.linalg.solve(M, by_q), 1e-9)


def test_dependent_rows_are_solved_as_before(robot):
    model, states = robot
    q, v, tau = states[2]
    contact = pin.RigidConstraintModel(pin.CONTACT_6D, model, 7, pin.LOCAL)
    one, two = model.createData(), model.createData()
    near(pin.constraintDynamics(model, one, q, v, tau, [contact]), pin.constraintDynamics(model, two, q, v, tau, [contact, contact]), 1e-9)
    near(one.lambda_c, two.lambda_c[:6] + two.lambda_c[6:], 1e-9)


def test_words_print_their_names():
    assert str(pin.LOCAL) == "LOCAL" and str(pin.WORLD) == "WORLD" and str(pin.CONTACT_6D) == "CONTACT_6D" and str(pin.ARG0) == "ARG0"
    assert str(pin.BODY) == "BODY" and str(pin.VELOCITY) == "VELOCITY" and int(pin.LOCAL) == 1
    assert str(pin.Force([1, 2, 3], [4, 5, 6])) == "  f = 1 2 3\ntau = 4 5 6\n"
    assert str(pin.Motion([1, 2, 3], [4, 5, 6])) == "  v = 1 2 3\n  w = 4 5 6\n"


def test_shapes_are_kept_and_placed(robot):
    model, states = robot
    shapes = pin.GeometryModel()
    hand = pin.GeometryObject("hand", model.njoints - 1, pin.SE3.Random(), "anything")
    assert shapes.addGeometryObject(hand) == 0
    assert shapes.addGeometryObject(pin.GeometryObject("foot", 0, model.nframes - 1, pin.SE3.Identity(), None), model) == 1
    shapes.addGeometryObject(pin.GeometryObject("ground", 0, pin.SE3.Identity()))
    assert shapes.geometryObjects[1].parentJoint == model.frames[-1].parentJoint
    shapes.addAllCollisionPairs()
    assert shapes.findCollisionPair(pin.CollisionPair(2, 0)) < len(shapes.collisionPairs)
    with pytest.raises(ValueError, match="no two geometry objects"):
        shapes.addCollisionPair(pin.CollisionPair(1, 1))
    with pytest.raises(ValueError, match="already"):
        shapes.addGeometryObject(hand)
    data, placed = model.createData(), shapes.createData()
    pin.updateGeometryPlacements(model, data, shapes, placed, states[0][0])
    near(placed.oMg[0], (data.oMi[model.njoints - 1] * hand.placement).homogeneous)
    own = shapes.copy()
    own.removeGeometryObject("hand")
    assert own.ngeoms == 2 and own.getGeometryId("ground") == 1 and shapes.ngeoms == 3
    assert all(max(p.first, p.second) < 2 for p in own.collisionPairs)
    for refused in (lambda: placed.collisionResults, lambda: shapes.collide, pin.DistanceResult):
        with pytest.raises(NotImplementedError, match="zwang.Scene"):
            refused()
    with pytest.raises(AttributeError, match="zwang.Scene"):
        pin.computeCollisions
    visual = pin.buildGeomFromUrdf(model, URDF, pin.VISUAL)
    assert visual.ngeoms == sum(not s.collision for link in zw.load(URDF).links for s in link.shapes)


def test_models_are_written_as_zwangs_documents(robot, tmp_path):
    model = robot[0]
    model.saveToText(tmp_path / "robot.json")
    near(zw.load(tmp_path / "robot.json").mass, model.core().model.mass)
    (tmp_path / "theirs.txt").write_bytes(b"22 serialization::archive 19 0 0")
    with pytest.raises(NotImplementedError, match="archive of Pinocchio"):
        model.loadFromText(tmp_path / "theirs.txt")
    with pytest.raises(ImportError, match="zwang.casadi"):
        from zwang.pinocchio import casadi  # noqa: F401
