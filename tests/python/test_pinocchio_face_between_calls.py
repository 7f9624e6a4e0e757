# SPDX-License-Identifier: BSD-3-Clause
"""zwang.pinocchio: what a caller may do between two calls. Results that were written to, models and contacts that were changed, calls that fail."""
import copy
import pickle

import numpy as np
import pytest
import zwang.pinocchio as pin
from conftest import EPS, ROOT
from nearness import nearness
from zwang.pinocchio import constrained

near = nearness(1e4 * EPS)
FOOT, KNEE = 7, 5  # joints of the humanoid


@pytest.fixture
def robot():
    """A model of one's own, its Data, a frame of its last joint, a state, and another one."""
    model = pin.buildModelFromUrdf(str(ROOT / "models" / "humanoid.urdf"), pin.JointModelFreeFlyer())
    rng = np.random.default_rng(11)
    states = [(pin.integrate(model, pin.neutral(model), rng.uniform(-1, 1, model.nv)), *rng.uniform(-1, 1, (2, model.nv))) for _ in range(2)]
    return model, model.createData(), model.nframes - 1, *states


def jointly(model):
    """Joints that were not added depth first, with a planar one: zwang's numbers stand in another order."""
    pin.seed(5)
    for k, (parent, kind) in enumerate([(0, pin.JointModelFreeFlyer), (1, pin.JointModelRX), (1, pin.JointModelPlanar), (2, pin.JointModelSpherical),
                                        (3, pin.JointModelRUBZ)]):
        model.addJoint(parent, kind(), pin.SE3.Random(), f"j{k}")
        model.appendBodyToJoint(k + 1, pin.Inertia.Random())
        model.addJointFrame(k + 1)
    return model


# --- results that were written to -----------------------------------------------------------------------------------

AGAIN = {
    "forwardKinematics q": lambda m, d, q, v: pin.forwardKinematics(m, d, q),
    "framesForwardKinematics": lambda m, d, q, v: pin.framesForwardKinematics(m, d, q),
    "updateFramePlacements": lambda m, d, q, v: pin.updateFramePlacements(m, d),
    "updateFramePlacement": lambda m, d, q, v: pin.updateFramePlacement(m, d, 3),
    "updateGlobalPlacements": lambda m, d, q, v: pin.updateGlobalPlacements(m, d),
    "computeJointJacobians": lambda m, d, q, v: pin.computeJointJacobians(m, d, q),
    "forwardKinematics q v": lambda m, d, q, v: pin.forwardKinematics(m, d, q, v),
}


@pytest.mark.parametrize("held", [False, True], ids=["dropped", "held"])
@pytest.mark.parametrize("again", AGAIN.values(), ids=AGAIN)
def test_poses_that_were_written_to_are_computed_again(robot, again, held):
    model, data, frame, (q, v, a), _ = robot
    pin.forwardKinematics(model, data, q, v, a)
    pose, place, speed = data.oMf[frame].copy(), data.oMi[FOOT].copy(), data.v[FOOT].copy()
    views = (data.oMf[frame], data.oMi[FOOT], data.oMf) if held else ()
    data.oMf[frame].translation[2] += 0.1
    data.oMi[FOOT].rotation[0, 0] = 7
    again(model, data, q, v)
    assert data.oMf[frame] == pose and data.oMi[FOOT] == place and data.v[FOOT] == speed
    near(pin.getFrameVelocity(model, data, frame, pin.WORLD).vector, pin.getFrameJacobian(model, data, frame, pin.WORLD) @ v)
    if held:  # what the caller has stays as it was written
        near(views[0].translation[2], pose.translation[2] + 0.1)
        assert views[1].rotation[0, 0] == 7
        near(views[2][frame].homogeneous, views[0].homogeneous)
        near(views[2][2], data.oMf[2].homogeneous)  # one that was not read before


def test_columns_that_were_written_to_are_computed_again(robot):
    model, data, _, (q, v, a), _ = robot
    J = pin.computeJointJacobians(model, data, q)
    right = J.copy()
    assert data.J is J
    for again in (lambda: pin.computeJointJacobians(model, data, q), lambda: pin.computeJointJacobians(model, data),
                  lambda: pin.forwardKinematics(model, data, q) or data.J):
        data.J[:] = 0
        assert (again() == right).all() and (data.J == right).all()
    assert not J.any()


def test_members_that_were_written_to_are_computed_again(robot):
    model, data, _, (q, v, a), _ = robot
    com = pin.centerOfMass(model, data, q, v, a).copy()
    for again in (lambda: pin.centerOfMass(model, data), lambda: pin.centerOfMass(model, data, q), lambda: pin.centerOfMass(model, data, q, v)):
        data.com[0][:] = 7
        again()
        near(data.com[0], com)


# --- models that were changed ---------------------------------------------------------------------------------------

CHANGES = {
    "placement": lambda m: m.frames[-1].placement.translation.__iadd__([0.1, 0.2, 0.3]),
    "mass": lambda m: setattr(m.inertias[FOOT], "mass", 30.0),
    "armature": lambda m: m.armature.fill(0.7),
    "joint placement": lambda m: m.jointPlacements[FOOT].translation.__iadd__([0.0, 0.0, 0.2]),
    "frame": lambda m: m.addFrame(pin.Frame("tool", FOOT, 0, pin.SE3(np.eye(3), [1.0, 2, 3]), pin.OP_FRAME)),
}
CALLS = {
    "updateFramePlacements": lambda m, d: pin.updateFramePlacements(m, d)[-1].homogeneous,
    "updateFramePlacement": lambda m, d: pin.updateFramePlacement(m, d, m.nframes - 1).homogeneous,
    "updateGlobalPlacements": lambda m, d: pin.updateGlobalPlacements(m, d) or d.oMi[FOOT].homogeneous,
    "getFrameJacobian": lambda m, d: pin.getFrameJacobian(m, d, m.nframes - 1, pin.LOCAL),
    "getFrameVelocity": lambda m, d: pin.getFrameVelocity(m, d, m.nframes - 1, pin.WORLD).vector,
    "getFrameAcceleration": lambda m, d: pin.getFrameAcceleration(m, d, m.nframes - 1).vector,
    "centerOfMass": lambda m, d: pin.centerOfMass(m, d),
    "computeMinverse": lambda m, d: pin.computeMinverse(m, d),
    "jacobianCenterOfMass": lambda m, d: pin.jacobianCenterOfMass(m, d),
    "getCoriolisMatrix": lambda m, d: pin.getCoriolisMatrix(m, d),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_calls_without_q_are_of_the_model_as_it_is(robot, change, call):
    model, data, _, (q, v, a), _ = robot
    pin.forwardKinematics(model, data, q, v, a)
    call(model, data)
    change(model)
    fresh = model.createData()
    pin.forwardKinematics(model, fresh, q, v, a)
    near(call(model, data), call(model, fresh))


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_calls_without_q_are_of_the_model_that_is_given(robot, call):
    model, data, _, (q, v, a), _ = robot
    other, fresh = model.copy(), model.createData()
    for change in CHANGES.values():
        change(other)
    pin.forwardKinematics(model, data, q, v, a)
    pin.forwardKinematics(other, fresh, q, v, a)
    near(call(other, data), call(other, fresh))


def test_states_keep_their_numbers_in_every_order():
    model = jointly(pin.Model())
    rng = np.random.default_rng(1)
    q = pin.integrate(model, pin.neutral(model), rng.uniform(-1, 1, model.nv))
    v, a = rng.uniform(-1, 1, (2, model.nv))
    data, fresh = model.createData(), model.createData()
    pin.forwardKinematics(model, data, q, v, a)
    model.inertias[3].mass = 9.0
    pin.forwardKinematics(model, fresh, q, v, a)
    near(pin.getAcceleration(model, data, 5, pin.WORLD).vector, pin.getAcceleration(model, fresh, 5, pin.WORLD).vector)
    near(pin.centerOfMass(model, data), pin.centerOfMass(model, fresh))
    near(data.acom[0], fresh.acom[0])


# --- contacts that were changed, calls that fail --------------------------------------------------------------------

def contacts(model):
    return [pin.RigidConstraintModel(pin.CONTACT_6D, model, FOOT, pin.SE3.Random(), pin.LOCAL),
            pin.RigidConstraintModel(pin.CONTACT_3D, model, 20, pin.SE3.Random(), KNEE, pin.SE3.Random(), pin.LOCAL_WORLD_ALIGNED)]


@pytest.mark.parametrize("solve", [pin.constraintDynamics, constrained._dependent])
def test_derivatives_are_those_of_the_contacts_that_were_solved(robot, solve):
    model, data, _, (q, v, tau), _ = robot
    models = contacts(model)
    solve(model, data, q, v, tau, models, None, None)
    right = [x.copy() for x in pin.computeConstraintDynamicsDerivatives(model, data, models)]
    models[0].joint1_placement.translation[:] += 0.1
    models[1].joint2_id, models[1].reference_frame = 3, pin.LOCAL
    models[1].corrector.Kp = 9.0
    for one, other in zip(pin.computeConstraintDynamicsDerivatives(model, data, models), right):
        assert (one == other).all()
    models[0].joint1_placement.translation[:] -= 0.1
    solve(model, data, q, v, tau, models, None, None)
    with pytest.raises(NotImplementedError, match="gains"):
        pin.computeConstraintDynamicsDerivatives(model, data, models)
    model.armature[:] = 3.0
    with pytest.raises(RuntimeError, match="call it again"):
        pin.computeConstraintDynamicsDerivatives(model, data, models)


def test_calls_that_fail_leave_data_as_it_was(robot):
    model, data, frame, (q, v, tau), (other, w, _) = robot
    models = contacts(model)
    pin.constraintDynamics(model, data, q, v, tau, models)
    right = [x.copy() for x in pin.computeConstraintDynamicsDerivatives(model, data, models)]
    ddq, multipliers, pose = data.ddq.copy(), data.lambda_c.copy(), data.oMf[frame].copy()
    moved = [c.copy() for c in models[:1] * 2]  # the same rows twice, that ask for different accelerations
    moved[0].desired_contact_acceleration = pin.Motion.Random()
    for error, tau_given, given, datas in ((ValueError, tau[1:], models, None), (TypeError, None, models, None), (TypeError, tau, [*models, 1], None),
                                           (TypeError, "torque", models, None), (ArithmeticError, tau, moved, None), (TypeError, tau, models, 3)):
        with pytest.raises((error, ValueError) if tau_given is None or isinstance(tau_given, str) else error):
            pin.constraintDynamics(model, data, other, w, tau_given, given, datas)
        assert data.oMf[frame] == pose and (data.ddq == ddq).all() and (data.lambda_c == multipliers).all()
        near(pin.getFrameVelocity(model, data, frame, pin.WORLD).vector, pin.getFrameJacobian(model, data, frame, pin.WORLD) @ v)
        for one, two in zip(pin.computeConstraintDynamicsDerivatives(model, data, models), right):
            assert (one == two).all()


@pytest.mark.parametrize("rank", ["full", "lost"])
def test_contacts_of_an_iterator(robot, rank):
    model, data, _, (q, v, tau), _ = robot
    models = contacts(model) if rank == "full" else contacts(model)[:1] * 2
    right = pin.constraintDynamics(model, model.createData(), q, v, tau, models)
    near(pin.constraintDynamics(model, data, q, v, tau, (c for c in models)), right)
    near(pin.constraintDynamics(model, data, q, v, tau, iter(models)), right)
    assert np.abs(right - pin.aba(model, data, q, v, tau)).max() > 0.1
    if rank == "full":
        assert pin.computeConstraintDynamicsDerivatives(model, data, iter(models))[3].shape == (9, model.nv)
    with pytest.raises(TypeError):
        pin.constraintDynamics(model, data, q, v, tau, 3)


def test_an_acceleration_comes_with_a_velocity(robot):
    model, data, frame, (q, v, a), (other, _, _) = robot
    pin.forwardKinematics(model, data, q, v, a)
    pose, acceleration = data.oMf[frame].copy(), pin.getFrameAcceleration(model, data, frame)
    for call in (pin.forwardKinematics, pin.centerOfMass):
        with pytest.raises(TypeError, match="without v"):
            call(model, data, other, None, a)
        assert data.oMf[frame] == pose and pin.getFrameAcceleration(model, data, frame) == acceleration


# --- arguments ------------------------------------------------------------------------------------------------------

def test_what_is_no_rotation_is_refused():
    for place in np.ndindex(3, 3):
        for size, refused in ((1e-3, True), (1e-5, True), (1e-8, False)):
            R = np.eye(3)
            R[place] += size
            for call in (pin.log3, pin.Jlog3, lambda R: pin.log6(pin.SE3(R, np.zeros(3)))):
                if refused:
                    with pytest.raises(ValueError, match="no rotation"):
                        call(R)
                else:
                    call(R)


def test_views_are_of_float64_that_may_be_written():
    for kind, shape in ((pin.Motion, 6), (pin.Force, 6), (pin.SE3, (4, 4))):
        right = np.zeros(shape)
        kind.view(right)
        locked = right.copy()
        locked.flags.writeable = False
        for wrong in (right.astype(np.int64), right.astype(np.uint64), right.astype(">f8"), right.astype("M8[s]"), locked, bytes(8 * right.size)):
            with pytest.raises((TypeError, ValueError)):
                kind.view(wrong)
    with pytest.raises(ValueError, match="float64"):
        pin.Model()._watch_arrays([np.zeros(3, dtype=np.int64)])


def test_copies_of_data_are_ones_own(robot):
    model, data, _, (q, v, tau), _ = robot
    models = contacts(model)
    pin.constraintDynamics(model, data, q, v, tau, models)
    right = [x.copy() for x in pin.computeConstraintDynamicsDerivatives(model, data, models)]
    pin.computeSubtreeMasses(model, data)
    masses = list(data.mass)
    for own in (data.copy(), copy.copy(data), copy.deepcopy(data)):
        own.mass[0] = 99.0
        pin.constraintDynamics(model, own, q, v, tau, models[:1])
        assert list(data.mass) == masses
        assert all((x == y).all() for x, y in zip(pin.computeConstraintDynamicsDerivatives(model, data, models), right))
    with pytest.raises(TypeError, match="pickle the Model"):
        pickle.dumps(data)


def test_geometry_objects_are_copied(robot):
    model = robot[0]
    shapes, foot = pin.GeometryModel(), pin.GeometryObject("foot", 0, model.nframes - 1, pin.SE3.Identity(), None)
    shapes.addGeometryObject(foot, model)
    foot.placement.translation[:] = 9
    foot.name = "hand"
    assert foot.parentJoint == 0 and shapes.geometryObjects[0].parentJoint == model.frames[-1].parentJoint != 0
    assert shapes.existGeometryName("foot") and not shapes.geometryObjects[0].placement.translation.any()


def test_roll_pitch_yaw_of_every_rotation():
    """Also near the lock: the angles are not the same there, the rotation is."""
    rng = np.random.default_rng(3)
    for size in (0.0, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-10, 1e-8, 1e-6, 1e-3, 1.0):
        for sign in (1, -1):
            for _ in range(20):
                roll, yaw = rng.uniform(-3, 3, 2)
                R = pin.rpy.rpyToMatrix(roll, sign * (np.pi / 2 - size), yaw)
                rpy = pin.rpy.matrixToRpy(R)
                near(pin.rpy.rpyToMatrix(rpy), R, 64 * EPS)  # 16 EPS at the lock, and some roundings
                assert abs(rpy[1]) <= np.pi / 2
                if size < 1e-16:
                    assert rpy[0] == 0
