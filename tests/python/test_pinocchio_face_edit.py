# SPDX-License-Identifier: BSD-3-Clause
"""zwang.pinocchio: models of models, sample models, SRDF, files of other formats, RobotWrapper."""
import numpy as np
import pytest
import zwang as zw
import zwang.pinocchio as pin
from conftest import EPS, ROOT
from nearness import nearness

MODELS = ROOT / "models"
TIGHT = 1e4 * EPS


@pytest.fixture(autouse=True)
def same_numbers():
    pin.seed(21)


near = nearness(TIGHT)


def quadruped():
    return pin.buildModelFromUrdf(MODELS / "quadruped.urdf", pin.JointModelFreeFlyer())


def arm():
    return pin.buildModelFromUrdf(MODELS / "arm7.urdf")


def test_a_model_on_a_frame_of_another_moves_with_it():
    A, B, aMb = quadruped(), arm(), pin.SE3.Random()
    frame = A.getFrameId("LF_hip")
    C = pin.appendModel(A, B, frame, aMb)
    assert C.names[2:6] == ["LF_abduction", "LF_hip_pitch", "LF_knee", "joint1"] and C.names[12] == "LH_abduction"
    v = np.random.default_rng(0).uniform(-1, 1, C.nv)
    q = pin.integrate(C, pin.neutral(C), v)
    own = {name: q[C.joints[k].idx_q:C.joints[k].idx_q + C.joints[k].nq] for k, name in enumerate(C.names) if k}
    datas = []
    for model in (A, B, C):
        datas.append(model.createData())
        pin.framesForwardKinematics(model, datas[-1], np.concatenate([own[name] for name in model.names[1:]]))
    a, b, c = datas
    near(c.oMf[C.getFrameId("LF_foot")], a.oMf[A.getFrameId("LF_foot")])
    near(c.oMf[C.getFrameId("tool0")], a.oMf[frame] * aMb * b.oMf[B.getFrameId("tool0")])
    near(pin.computeTotalMass(C), pin.computeTotalMass(A) + pin.computeTotalMass(B) + B.frames[B.getFrameId("base")].inertia.mass)
    with pytest.raises(ValueError, match="both models have"):
        pin.appendModel(A, A, frame, aMb)


def test_joints_that_are_held_move_nothing():
    model = quadruped()
    held = [model.getJointId(x) for x in ("LF_hip_pitch", "LF_knee", "RH_abduction")]
    q = pin.integrate(model, pin.neutral(model), np.random.default_rng(1).uniform(-1, 1, model.nv))
    reduced = pin.buildReducedModel(model, held, q)
    assert reduced.nv == model.nv - 3 and reduced.frames[reduced.getFrameId("LF_hip_pitch")].type == pin.FIXED_JOINT
    keep = [k for k in range(1, model.njoints) if k not in held]
    rows = np.concatenate([np.arange(model.joints[k].idx_v, model.joints[k].idx_v + model.joints[k].nv) for k in keep])
    at_q = np.concatenate([np.arange(model.joints[k].idx_q, model.joints[k].idx_q + model.joints[k].nq) for k in keep])
    d, e = model.createData(), reduced.createData()
    near(pin.crba(reduced, e, q[at_q]), pin.crba(model, d, q)[np.ix_(rows, rows)])
    near(pin.computeGeneralizedGravity(reduced, e, q[at_q]), pin.computeGeneralizedGravity(model, d, q)[rows])
    pin.framesForwardKinematics(model, d, q)
    pin.framesForwardKinematics(reduced, e, q[at_q])
    for k, frame in enumerate(model.frames):
        near(e.oMf[reduced.getFrameId(frame.name)], d.oMf[k])
    assert reduced.upperPositionLimit[-1] == model.upperPositionLimit[-1]
    with pytest.raises(ValueError, match="no joint 0"):
        pin.buildReducedModel(model, [0], q)


def test_joints_that_follow_others():
    model = arm()
    mimic = pin.transformJointIntoMimic(model, 2, 4, -0.5, 0.1)
    assert (mimic.nq, mimic.nv, mimic.njoints) == (6, 6, 8) and mimic.joints[4].idx_v == 1
    rng = np.random.default_rng(2)
    q, v, a = rng.uniform(-1, 1, (3, 6))
    G = np.zeros((7, 6))
    G[[0, 1, 2, 4, 5, 6], range(6)] = 1
    G[3, 1] = -0.5
    full = G @ q + 0.1 * np.eye(7)[3]
    d, e = mimic.createData(), model.createData()
    near(pin.rnea(mimic, d, q, v, a), G.T @ pin.rnea(model, e, full, G @ v, G @ a))
    near(pin.crba(mimic, d, q), G.T @ pin.crba(model, e, full) @ G)
    near(pin.aba(mimic, d, q, v, pin.rnea(mimic, d, q, v, a)), a, 1e-9)
    pin.forwardKinematics(mimic, d, q, v)
    pin.forwardKinematics(model, e, full, G @ v)
    near(d.oMi[7], e.oMi[7])
    near(d.v[7], e.v[7])
    with pytest.raises(ValueError, match="comes first"):
        pin.transformJointIntoMimic(model, 4, 2, 1, 0)


def test_mimic_tags_of_a_urdf_count_when_asked():
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="c"><inertial><mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="lead" type="revolute"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>
        <limit lower="-1" upper="1" effort="3" velocity="4"/></joint>
      <joint name="also" type="revolute"><parent link="a"/><child link="c"/><axis xyz="0 1 0"/><mimic joint="lead" multiplier="2" offset="0.5"/>
        <limit lower="-1" upper="1" effort="3" velocity="4"/></joint></robot>"""
    both, one = pin.buildModelFromXML(text), pin.buildModelFromXML(text, mimic=True)
    assert both.names == ["universe", "also", "lead"] and (both.nq, one.nq) == (2, 1)
    d = one.createData()
    pin.forwardKinematics(one, d, [0.3])
    near(d.oMi[one.getJointId("also")].rotation, pin.rpy.rotate("y", 1.1))
    assert both.upperPositionLimit.tolist() == [1, 1] and both.effortLimit.tolist() == [3, 3] and both.velocityLimit.tolist() == [4, 4]


def test_sample_models_have_pinocchios_names():
    arm_, humanoid, strange = pin.buildSampleModelManipulator(), pin.buildSampleModelHumanoid(), pin.buildSampleModelHumanoidRandom()
    assert (arm_.nq, humanoid.nq, strange.nq) == (6, 35, 33) and arm_.names[4] == "elbow_joint"
    assert pin.buildSampleModelHumanoidRandom(False).nq == 26 and pin.buildSampleModelHumanoid(False).nq == 28
    assert humanoid.existFrame("larm_effector_body", pin.BODY) and strange.existJointName("rleg3_joint")
    for model in (arm_, humanoid, strange):
        d, q = model.createData(), pin.randomConfiguration(model)
        assert np.linalg.eigvalsh(pin.crba(model, d, q))[0] > 0
        assert np.all(q <= model.upperPositionLimit) and np.all(q >= model.lowerPositionLimit)


def test_srdf_gives_configurations_and_rotors(tmp_path):
    model = arm()
    srdf = tmp_path / "arm.srdf"
    srdf.write_text("""<robot name="arm"><group name="all"/><group_state name="bent" group="all">
      <joint name="joint2" value="0.5"/><joint name="joint4" value="-1.25"/><joint name="nobody" value="1"/></group_state>
      <rotor_params><joint name="joint3" mass="1e-4" gear_ratio="50"/></rotor_params></robot>""")
    pin.loadReferenceConfigurations(model, srdf)
    assert model.referenceConfigurations["bent"].tolist() == [0, 0.5, 0, -1.25, 0, 0, 0]
    assert pin.loadRotorParameters(model, srdf) and np.isclose(model.armature[2], 0.25) and model.rotorGearRatio[2] == 50
    reduced = pin.buildReducedModel(model, [3], pin.neutral(model))
    assert reduced.referenceConfigurations["bent"].tolist() == [0, 0.5, -1.25, 0, 0, 0]
    with pytest.raises(ValueError, match="expected 1"):
        pin.loadReferenceConfigurationsFromXML(model, '<robot><group_state name="x"><joint name="joint1" value="1 2"/></group_state></robot>')
    with pytest.raises(ValueError, match="no XML"):
        pin.loadReferenceConfigurationsFromXML(model, "<robot")


@pytest.mark.parametrize("name", ["biped.xml", "slider_crank.sdf", "bird.sdf"])
def test_files_of_other_formats(name):
    path = MODELS / name
    read = pin.buildModelFromMJCF if name.endswith(".xml") else pin.buildModelFromSdf
    try:
        robot = zw.load(path, expand_mimic=True, resolve_meshes=False)
    except zw.ModelError:
        with pytest.raises(zw.ModelError):
            read(path)
        return
    model = read(path)
    assert model.nv == robot.nv
    at = robot.layout(model.names[1:])
    q, rng = robot.random(seed=1), np.random.default_rng(0)
    v, a = rng.uniform(-1, 1, (2, robot.nv))
    x = pin.neutral(model)
    for joint, own in zip(model.joints[1:], (robot.joint(n) for n in model.names[1:])):
        part = q[own.q]
        x[joint.idx_q:joint.idx_q + joint.nq] = [np.cos(part[0]), np.sin(part[0])] if joint.nq == 2 else part
    effects = zw.JointEffects(armature=True, damping=False, springs=False, gravity_scale=False)
    near(pin.rnea(model, model.createData(), x, v[at.v], a[at.v]), zw.inverse_dynamics(robot, q, v, a, joint_effects=effects)[at.v], 1e-10)


def test_a_robot_wrapper_is_a_model_with_its_data():
    robot = pin.RobotWrapper.BuildFromURDF(str(MODELS / "quadruped.urdf"), [str(MODELS)], pin.JointModelFreeFlyer())
    model, d = robot.model, robot.model.createData()
    rng = np.random.default_rng(0)
    v, a = rng.uniform(-1, 1, (2, robot.nv))
    q = pin.integrate(model, robot.q0, v)
    near(robot.mass(q), pin.crba(model, d, q))
    near(robot.nle(q, v), pin.nonLinearEffects(model, d, q, v))
    near(robot.gravity(q), pin.computeGeneralizedGravity(model, d, q))
    near(robot.Jcom(q) @ v, robot.vcom(q, v))
    near(robot.com(q, v, a)[2], robot.acom(q, v, a))
    near(robot.com(q), robot.com(q, v)[0])
    near(robot.com(), robot.com(q))
    k = robot.index("LF_knee")
    near(robot.computeJointJacobian(q, k) @ v, robot.velocity(q, v, k))
    frame = model.getFrameId("LF_foot")
    near(robot.framePlacement(q, frame).translation, robot.placement(q, k) * model.frames[frame].placement.translation)
    near(robot.computeFrameJacobian(q, frame) @ v, robot.frameVelocity(q, v, frame))
    near(robot.frameClassicalAcceleration(q, v, a, frame, True, pin.LOCAL_WORLD_ALIGNED).angular,
         robot.frameAcceleration(q, v, a, frame, True, pin.LOCAL_WORLD_ALIGNED).angular)
    near(robot.centroidalMomentum(q, v), robot.centroidalMap(q) @ v)
    near(robot.centroidal(q, v)[0], robot.centroidalMomentum(q, v))
    assert robot.buildReducedRobot(["LF_knee"]).nv == robot.nv - 1
