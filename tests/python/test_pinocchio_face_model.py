# SPDX-License-Identifier: BSD-3-Clause
"""zwang.pinocchio: models that may be changed, numbering, what Data keeps, refusals."""
import copy
import inspect
import pickle
import re

import numpy as np
import pytest
import zwang as zw
import zwang.pinocchio as pin
from conftest import EPS, ROOT
from nearness import nearness

QUADRUPED = ROOT / "models" / "quadruped.urdf"
TIGHT = 1e4 * EPS  # recursions over a robot


@pytest.fixture(autouse=True)
def same_numbers():
    pin.seed(11)


near = nearness(TIGHT)


def quadruped():
    """The same robot by the face and by zwang, a state of both, and zwang's coordinates by Pinocchio's."""
    model = pin.buildModelFromUrdf(QUADRUPED, pin.JointModelFreeFlyer())
    robot = zw.load(QUADRUPED, root="floating")
    at = robot.layout(model.names[1:])
    rng = np.random.default_rng(5)
    q = robot.random(seed=2)
    v, a = rng.uniform(-1, 1, (2, robot.nv))
    return model, robot, at, q, v, a


def no_effects():
    return zw.JointEffects(armature=False, damping=False, springs=False)


def tree(parents, seed=0, kinds=None):
    """Joints added in this order, each with a body."""
    pin.seed(seed)
    model = pin.Model()
    for k, parent in enumerate(parents):
        joint = model.addJoint(parent, (kinds[k] if kinds else pin.JointModelRY)(), pin.SE3.Random(), f"j{k + 1}")
        model.appendBodyToJoint(joint, pin.Inertia.Random(), pin.SE3.Random())
        model.addJointFrame(joint)
    return model


def test_joints_and_frames_are_numbered_as_in_pinocchio():
    model = pin.buildModelFromUrdf(QUADRUPED, pin.JointModelFreeFlyer())
    assert model.names[:5] == ["universe", "root_joint", "LF_abduction", "LF_hip_pitch", "LF_knee"]
    assert [f.name for f in model.frames[:4]] == ["universe", "root_joint", "trunk", "LF_abduction"]
    assert (model.nq, model.nv, model.njoints, model.nbodies) == (19, 18, 14, 14)
    assert model.getJointId("LF_knee") == 4 and model.getJointId("nobody") == model.njoints
    assert model.getFrameId("nobody") == model.nframes and model.existFrame("trunk", pin.BODY) and not model.existFrame("trunk", pin.JOINT)
    assert model.joints[2].idx_q == 7 and model.joints[2].idx_v == 6 and model.joints[1].shortname() == "JointModelFreeFlyer"
    assert model.parents[:4] == [0, 0, 1, 2] and model.supports[4] == [0, 1, 2, 3, 4] and model.subtrees[2] == [2, 3, 4]
    foot = model.frames[model.getFrameId("LF_foot")]
    assert foot.parentJoint == 4 and foot.type == pin.BODY and model.frames[foot.parentFrame].type == pin.FIXED_JOINT
    assert model.children[1] == [2, 5, 8, 11] and pin.findCommonAncestor(model, 4, 7) == (1, 1, 1)


def test_a_file_gives_what_zwang_computes_of_it():
    model, robot, at, q, v, a = quadruped()
    assert list(at.v) != list(range(robot.nv)), "the orders differ, or this test says nothing"
    data = model.createData()
    qp, vp, ap = q[at.q], v[at.v], a[at.v]
    near(pin.rnea(model, data, qp, vp, ap), zw.inverse_dynamics(robot, q, v, a, joint_effects=no_effects())[at.v])
    near(pin.crba(model, data, qp), zw.mass_matrix(robot, q, joint_effects=no_effects())[np.ix_(at.v, at.v)])
    pin.framesForwardKinematics(model, data, qp)
    for k, frame in enumerate(model.frames):
        if frame.type == pin.BODY:
            near(data.oMf[k], zw.frame_pose(robot, q, frame.name))
            for reference, word in ((pin.LOCAL, "local"), (pin.WORLD, "world"), (pin.LOCAL_WORLD_ALIGNED, "local_world_aligned")):
                near(pin.getFrameJacobian(model, data, k, reference), zw.jacobian(robot, q, frame.name, word)[:, at.v])
    near(pin.centerOfMass(model, data, qp), zw.centre_of_mass(robot, q))
    near(pin.ccrba(model, data, qp, vp), zw.centroidal_map(robot, q)[:, at.v])
    assert not np.any(model.armature) and not np.any(model.rotorInertia), "transmissions of a URDF are not read"


def test_joints_that_are_not_added_depth_first_are_right():
    """The same tree in two orders: Pinocchio's mass matrix of the first is wrong."""
    model = tree([0, 0, 1, 2, 1, 3], kinds=[pin.JointModelRX, pin.JointModelFreeFlyer, pin.JointModelPlanar, pin.JointModelRUBZ,
                                            pin.JointModelSpherical, pin.JointModelPY])
    order = [1, 3, 6, 5, 2, 4]  # depth first
    other, new = pin.Model(), {0: 0}
    for k in order:
        new[k] = other.addJoint(new[model.parents[k]], model.joints[k], model.jointPlacements[k], model.names[k])
        other.inertias[new[k]] = model.inertias[k]
        other.addJointFrame(new[k])
    at_q = np.concatenate([np.arange(model.joints[k].idx_q, model.joints[k].idx_q + model.joints[k].nq) for k in order])
    at_v = np.concatenate([np.arange(model.joints[k].idx_v, model.joints[k].idx_v + model.joints[k].nv) for k in order])
    rng = np.random.default_rng(1)
    v, a = rng.uniform(-1, 1, (2, model.nv))
    q = pin.integrate(model, pin.neutral(model), v)
    near(pin.integrate(other, pin.neutral(other), v[at_v]), q[at_q])
    d, e = model.createData(), other.createData()
    near(pin.crba(other, e, q[at_q]), pin.crba(model, d, q)[np.ix_(at_v, at_v)])
    near(pin.rnea(other, e, q[at_q], v[at_v], a[at_v]), pin.rnea(model, d, q, v, a)[at_v])
    near(pin.aba(model, d, q, v, pin.rnea(model, d, q, v, a)), a, 1e-10)
    pin.computeJointJacobians(model, d, q)
    pin.computeJointJacobians(other, e, q[at_q])
    near(e.J, d.J[:, at_v])
    for k in order:
        near(pin.getJointJacobian(other, e, new[k]), pin.getJointJacobian(model, d, k)[:, at_v])
        near(e.oMi[new[k]], d.oMi[k])
    near(pin.computeJointTorqueRegressor(model, d, q, v, a) @ np.concatenate([y.toDynamicParameters() for y in list(model.inertias)[1:]]),
         pin.rnea(model, d, q, v, a))
    near(pin.difference(model, q, pin.integrate(model, q, a)), a, 1e-12)


def test_what_is_changed_counts_from_the_next_call_on():
    model = tree([0, 1, 2])
    data, q, a = model.createData(), np.array([0.3, -0.2, 0.5]), np.ones(3)
    zero = np.zeros(3)
    M, tau = pin.crba(model, data, q).copy(), pin.rnea(model, data, q, zero, a).copy()
    first = model.core()
    assert model.core() is first
    model.inertias[3].mass += 1.0
    assert pin.crba(model, data, q)[2, 2] != M[2, 2]
    model.inertias[3].mass -= 1.0
    near(pin.crba(model, data, q), M)
    model.armature[1] = 0.25
    near(pin.crba(model, data, q), M + np.diag([0, 0.25, 0]))
    model.armature = zero
    model.gravity.linear[:] = 0
    near(pin.rnea(model, data, q, zero, a), M @ a)
    model.gravity = pin.Motion(np.array([0, 0, -9.81]), np.zeros(3))
    near(pin.rnea(model, data, q, zero, a), tau)
    model.jointPlacements[1] = pin.SE3.Identity()
    assert np.abs(pin.rnea(model, data, q, zero, zero) - tau + M @ a).max() > 1e-3
    k = model.addFrame(pin.Frame("tip", 3, 0, pin.SE3.Identity(), pin.OP_FRAME))
    model.frames[k].placement.translation[0] = 0.5
    pin.forwardKinematics(model, data, q)
    near(data.oMf[k].translation, data.oMi[3] * np.array([0.5, 0, 0]))
    assert model.addFrame(pin.Frame("tip", 3, 0, pin.SE3.Identity(), pin.OP_FRAME)) == k
    before = model.inertias[3].mass
    model.addFrame(pin.Frame("load", 3, 0, pin.SE3.Random(), pin.BODY, pin.Inertia.FromSphere(2, 0.1)))
    assert np.isclose(model.inertias[3].mass, before + 2)


def test_models_are_copied_and_pickled():
    model = pin.buildModelFromUrdf(QUADRUPED, pin.JointModelFreeFlyer())
    for other in (model.copy(), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other == model
        other.inertias[2].mass += 1
        other.frames[3].placement.translation[0] += 1
        assert other != model and model.frames[3].placement.translation[0] == 0
        q = pin.neutral(other)
        near(pin.crba(model, model.createData(), q)[6, 6], pin.crba(model.copy(), model.createData(), q)[6, 6])


def test_configurations_have_pinocchios_numbers():
    model = tree([0, 1, 2, 3], kinds=[pin.JointModelFreeFlyer, pin.JointModelPlanar, pin.JointModelRUBX, pin.JointModelSpherical])
    assert pin.neutral(model).tolist() == [0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1]
    rng = np.random.default_rng(0)
    v = rng.uniform(-1, 1, model.nv)
    q = pin.integrate(model, pin.neutral(model), v)
    assert pin.isNormalized(model, q) and not pin.isNormalized(model, 2 * q)
    near(pin.normalize(model, np.concatenate([q[:3], 2 * q[3:7], q[7:9], 3 * q[9:11], q[11:]])), q)
    near(q[9:11], [np.cos(v[8]), np.sin(v[8])])
    w = rng.uniform(-1, 1, model.nv)
    r = pin.integrate(model, q, w)
    near(pin.difference(model, q, r), w, 1e-13)
    near(pin.interpolate(model, q, r, 1.0), r, 1e-13)
    near(pin.interpolate(model, q, r, 0.5), pin.integrate(model, q, w / 2), 1e-13)
    assert np.isclose(pin.distance(model, q, r)**2, pin.squaredDistance(model, q, r).sum()) and pin.squaredDistance(model, q, r).shape == (4,)
    assert pin.isSameConfiguration(model, q, q) and not pin.isSameConfiguration(model, q, r)
    by_q, by_v = pin.dIntegrate(model, q, w)
    d, h = rng.uniform(-1, 1, model.nv), 1e-6
    slope = pin.difference(model, pin.integrate(model, q, w - h * d), pin.integrate(model, q, w + h * d)) / (2 * h)
    near(by_v @ d, slope, 1e-8)
    near(pin.dIntegrate(model, q, w, pin.ARG0), by_q)
    near(pin.dIntegrateTransport(model, q, w, np.eye(model.nv), pin.ARG1), by_v)
    slope = (pin.difference(model, q, pin.integrate(model, r, h * d)) - pin.difference(model, q, pin.integrate(model, r, -h * d))) / (2 * h)
    near(pin.dDifference(model, q, r)[1] @ d, slope, 1e-8)
    low, high = np.full(model.nq, -0.5), np.full(model.nq, 0.7)
    x = pin.randomConfiguration(model, low, high)
    assert pin.isNormalized(model, x) and x[:3].min() >= -0.5 and x[:3].max() <= 0.7
    with pytest.raises(ValueError, match="no bounds"):
        pin.randomConfiguration(model)


def test_distances_to_limits_that_nobody_gave():
    model = pin.buildModelFromUrdf(QUADRUPED, pin.JointModelFreeFlyer())
    q = pin.integrate(model, pin.neutral(model), np.full(model.nv, 0.25))
    for limit in (model.upperPositionLimit, model.lowerPositionLimit):
        room = pin.difference(model, q, limit)
        assert np.isnan(room[:6]).all()
        near(room[6:], limit[7:] - q[7:])
    model.upperPositionLimit[7] = np.inf
    assert pin.difference(model, q, model.upperPositionLimit)[6] == np.inf
    with pytest.raises(ValueError, match="nan"):
        pin.difference(model, q, np.full(model.nq, np.nan))


def test_quaternions_of_any_length_are_taken():
    model = tree([0, 1], kinds=[pin.JointModelFreeFlyer, pin.JointModelRX])
    data, q = model.createData(), pin.neutral(model)
    M = pin.crba(model, data, q).copy()
    near(pin.crba(model, data, np.zeros(model.nq)), M)
    q[6] = 4
    near(pin.crba(model, data, q), M)
    near(pin.crba(model, data, q[:, None]), M)


def test_data_keeps_what_belongs_to_its_state():
    model, _, at, q, v, a = quadruped()
    q, v, a = q[at.q], v[at.v], a[at.v]
    data = model.createData()
    with pytest.raises(AttributeError, match="no function has computed it yet"):
        data.oMi
    with pytest.raises(RuntimeError, match="call forwardKinematics"):
        pin.getFrameJacobian(model, data, 3, pin.LOCAL)
    pin.forwardKinematics(model, data, q, v, a)
    speed, pose = pin.getFrameVelocity(model, data, 8), data.oMi[4].copy()
    pin.computeJointJacobians(model, data, q)
    near(pin.getFrameVelocity(model, data, 8), speed)
    near(pin.getFrameJacobian(model, data, 8) @ v, speed)
    pin.rnea(model, data, pin.neutral(model), v, a)
    near(data.oMi[4], pose)
    other = pin.integrate(model, q, 0.1 * v)
    held = data.oMi[4]
    pin.forwardKinematics(model, data, other)
    near(held, pose)
    with pytest.raises(RuntimeError, match="q has changed"):
        pin.getFrameVelocity(model, data, 8, pin.WORLD)
    pin.forwardKinematics(model, data, other, v)
    with pytest.raises(RuntimeError, match="no acceleration"):
        pin.getFrameAcceleration(model, data, 8)
    q0 = other.copy()
    pin.forwardKinematics(model, data, q0, v)
    q0[:] = 0
    near(data.oMi[1].translation, other[:3])


def test_velocities_of_before_stay_in_local_axes():
    model, _, at, q, v, a = quadruped()
    q, v, a = q[at.q], v[at.v], a[at.v]
    data, X = model.createData(), pin.SE3.Random()
    pin.forwardKinematics(model, data, q, v, a)
    speed, on, acceleration = pin.getFrameVelocity(model, data, 8), pin.getFrameVelocity(model, data, 4, X), pin.getFrameAcceleration(model, data, 8)
    pin.forwardKinematics(model, data, pin.integrate(model, q, v))  # as with Pinocchio: of the last call with a velocity
    near(pin.getFrameVelocity(model, data, 8), speed)
    near(pin.getFrameVelocity(model, data, 4, X), on)
    near(pin.getFrameAcceleration(model, data, 8), acceleration)
    near(data.v[4], X.act(on))
    for get in (pin.getFrameVelocity, pin.getFrameAcceleration, pin.getFrameClassicalAcceleration):
        with pytest.raises(RuntimeError, match="q has changed"):
            get(model, data, 8, pin.LOCAL_WORLD_ALIGNED)


def test_copies_of_data_share_nothing():
    model, _, at, q, v, a = quadruped()
    q, v, a = q[at.q], v[at.v], a[at.v]
    data = model.createData()
    pin.computeAllTerms(model, data, q, v)
    pin.forwardKinematics(model, data, q, v, a)
    pin.computeCentroidalMomentum(model, data)
    names = ("J", "M", "nle", "hg", "Ig", "Jcom", "oMi", "v", "com", "vcom", "f")
    pin.rnea(model, data, q, v, a)

    def numbers(d, name):
        x = getattr(d, name)
        entries = [x] if not hasattr(x, "__getitem__") or isinstance(x, np.ndarray) else list(x)
        return [e if isinstance(e, np.ndarray) else e.homogeneous if hasattr(e, "homogeneous") else e.vector if hasattr(e, "vector") else e.matrix()
                for e in entries]
    before = {name: [np.array(x) for x in numbers(data, name)] for name in names}
    for make in (lambda d: d.copy(), copy.copy, copy.deepcopy):
        other = make(data)
        for name in names:
            for x, y in zip(numbers(other, name), before[name]):
                near(x, y)
        other.J[:] = 0
        other.M[:] = 0
        other.hg.linear[:] = 0
        other.oMi[2].translation[:] = 7
        other.com[0][:] = 7
        other.v[2].linear[:] = 7
        other.f[2].linear[:] = 7
        pin.forwardKinematics(model, other, pin.neutral(model))
        for name in names:
            for x, y in zip(numbers(data, name), before[name]):
                near(x, y)


def test_masses_of_subtrees_are_no_configuration():
    model, _, at, q, v, _ = quadruped()
    data = model.createData()
    pin.computeSubtreeMasses(model, data)
    masses = np.array(data.mass)
    with pytest.raises(AttributeError, match="no function has computed it yet"):
        data.com
    com = pin.centerOfMass(model, data, q[at.q])
    near(data.mass, masses)
    pin.computeSubtreeMasses(model, data)
    near(data.com[0], com)
    model.inertias[1].mass += 1
    pin.centerOfMass(model, data, q[at.q])
    near(data.mass[0], masses[0] + 1)


def parameters_of(function):
    """Names of the arguments that may be given by position."""
    if hasattr(function, "__nb_signature__"):  # of the extension: written as Python writes it
        text = function.__nb_signature__[0][0]
        return re.findall(r"(\w+):", text[text.index("("):text.index(") ->")])
    return [p.name for p in inspect.signature(function).parameters.values() if p.kind == p.POSITIONAL_OR_KEYWORD]


def test_data_of_another_model_is_refused():
    """By every function that takes a model and its Data, before it looks at anything else."""
    model, other = tree([0, 1, 1]), tree([0])
    q, v = pin.neutral(model), np.zeros(model.nv)
    c = pin.RigidConstraintModel(pin.CONTACT_3D, model, 1, pin.LOCAL)
    given = {"q": q, "v": v, "a": v, "tau": v, "joint_id": 1, "frame_id": 1, "second": pin.LOCAL, "reference_frame": pin.LOCAL, "placement": pin.SE3(),
             "fext": [pin.Force.Zero()] * model.njoints, "contact_models": [c], "constraint_models": [c], "constraint_model": c, "contact_datas": None,
             "constraint_datas": None, "geometry_model": pin.GeometryModel(), "geometry_data": pin.GeometryModel().createData()}
    forms = {"forwardDynamics": (q, v, v, np.eye(model.nv), v), "impulseDynamics": (q, v, np.eye(model.nv)), "centerOfMass": (q,),
             "jacobianSubtreeCenterOfMass": (q, 1), "getJacobianSubtreeCenterOfMass": (1,), "getFrameVelocityDerivatives": (1, pin.LOCAL),
             "getFrameAccelerationDerivatives": (1, pin.LOCAL)}
    small = other.createData()
    pin.constraintDynamics(other, small, np.zeros(1), np.zeros(1), np.zeros(1), [])
    pin.forwardKinematics(other, small, np.zeros(1), np.zeros(1), np.zeros(1))
    pin.computeMinverse(other, small)
    pin.crba(other, small, np.zeros(1))
    tried = 0
    for name in sorted(x for x in dir(pin) if inspect.isroutine(getattr(pin, x)) or hasattr(getattr(pin, x), "__nb_signature__")):
        parameters = parameters_of(getattr(pin, name))
        if parameters[:2] != ["model", "data"] or name in ("initConstraintDynamics", "computeTotalMass", "computeImpulseDynamicsDerivatives"):
            continue
        args = forms.get(name) or [given[x] for x in parameters[2:] if x in given]
        with pytest.raises(ValueError, match="data was made for a model"):
            getattr(pin, name)(model, small, *args)
        tried += 1
    assert tried > 70
    pin.rnea(model.copy(), model.createData(), q, v, v)  # of the same sizes


def test_velocities_and_wrenches_of_joints():
    model, _, at, q, v, a = quadruped()
    q, v, a = q[at.q], v[at.v], a[at.v]
    data = model.createData()
    pin.forwardKinematics(model, data, q, v, a)
    for k in range(1, model.njoints):
        near(data.v[k], pin.getVelocity(model, data, k))
        near(data.oMi[k].act(data.v[k]), pin.getVelocity(model, data, k, pin.WORLD))
        near(data.a_gf[k], data.a[k].vector - data.oMi[k].actInv(model.gravity).vector)
        near(data.oMi[k], data.oMi[model.parents[k]] * data.liMi[k])
    tau = pin.rnea(model, data, q, v, a)
    for k in range(1, model.njoints):  # Newton and Euler of each body, as Luh, Walker and Paul write it
        Y, own = model.inertias[k], data.f[k].copy()
        for c in model.children[k]:
            own = own - data.liMi[c].act(data.f[c])
        near(own, (Y * data.a_gf[k] + data.v[k].cross(Y * data.v[k])).vector, 1e-11)
        j = model.joints[k]
        S = pin.getJointJacobian(model, data, k)[:, j.idx_v:j.idx_v + j.nv]
        near(S.T @ data.f[k].vector, tau[j.idx_v:j.idx_v + j.nv], 1e-11)
        near(data.h[k], Y * data.v[k])
    fext = [pin.Force.Random() for _ in range(model.njoints)]
    with_forces = pin.rnea(model, data, q, v, a, fext)
    pushed = sum(pin.getJointJacobian(model, data, k).T @ fext[k].vector for k in range(1, model.njoints))
    near(with_forces, tau - pushed, 1e-11)
    near(pin.aba(model, data, q, v, with_forces, fext), a, 1e-9)
    with pytest.raises(ValueError, match="one per joint"):
        pin.rnea(model, data, q, v, a, fext[:2])
    with pytest.raises(TypeError, match=r"fext\[1\] has type float, expected Force"):
        pin.rnea(model, data, q, v, a, fext[:1] + [1.0] * (model.njoints - 1))
    pin.forwardKinematics(model, data, q, v, a)  # which v that was not given would be
    for call in (pin.ccrba, pin.computeAllTerms, pin.computeCoriolisMatrix, pin.computeKineticEnergyRegressor):
        with pytest.raises(TypeError, match="v is None"):
            call(model, data, q, None)
    with pytest.raises(TypeError, match="computeRNEADerivatives: a is None"):
        pin.computeRNEADerivatives(model, data, q, v, None)
    with pytest.raises(TypeError, match="placement has type NoneType, expected SE3"):
        pin.getPointVelocityDerivatives(model, data, 1, None, pin.LOCAL)


def test_wrong_arguments_are_refused_by_name():
    model = tree([0, 1])
    data = model.createData()
    with pytest.raises(ValueError, match=r"q has shape \(3,\), expected \(2,\)"):
        pin.forwardKinematics(model, data, np.zeros(3))
    with pytest.raises(ValueError, match="tau has shape"):
        pin.aba(model, data, np.zeros(2), np.zeros(2), np.zeros(1))
    pin.forwardKinematics(model, data, np.zeros(2))
    with pytest.raises(IndexError, match="frame 99 does not exist"):
        pin.getFrameJacobian(model, data, 99, pin.LOCAL)
    with pytest.raises(IndexError, match="joint 99 does not exist"):
        pin.getJointJacobian(model, data, 99)
    with pytest.raises(ValueError, match="already"):
        model.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "j1")
    with pytest.raises(ValueError, match="angular part"):
        model.gravity.angular[0] = 1
        model.core()


def test_what_is_not_served_says_what_zwang_has():
    model = tree([0])
    data = model.createData()
    for name in ("computeDistances", "GepettoVisualizer", "compactTangentMap", "CoulombFrictionCone", "ModelPool", "casadi"):
        with pytest.raises(AttributeError, match="zwang"):
            getattr(pin, name)
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        pin.nothing_of_the_kind
    with pytest.raises(AttributeError, match="zwang.articulated_inertia"):
        data.Yaba
    with pytest.raises(NotImplementedError, match="arrays"):
        pin.abaInParallel(None)
    with pytest.raises(NotImplementedError, match="zwang's JSON"):
        model.loadFromString("x")
    with pytest.raises(RuntimeError, match="initViewer"):
        pin.RobotWrapper(model).display(np.zeros(1))


def test_the_tutorial_of_inverse_kinematics_converges(recwarn):
    """Pinocchio's tutorial: joint 6 of the sample arm to (1, 0, 1); without questions on the way."""
    model = pin.buildSampleModelManipulator()
    data = model.createData()
    target, q = pin.SE3(np.eye(3), np.array([1.0, 0.0, 1.0])), pin.neutral(model)
    for _ in range(1000):
        pin.forwardKinematics(model, data, q)
        error = data.oMi[6].actInv(target)
        e = pin.log(error).vector
        if np.linalg.norm(e) < 1e-4:
            break
        jacobian = -pin.Jlog6(error.inverse()) @ pin.computeJointJacobian(model, data, q, 6)
        v = -jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + 1e-12 * np.eye(6), e)
        q = pin.integrate(model, q, v * 0.1)
    assert np.linalg.norm(e) < 1e-4
    pin.forwardKinematics(model, data, np.full(model.nq, 100.0))
    assert not recwarn.list
