# SPDX-License-Identifier: BSD-3-Clause
"""zwang.rbdl: RBDL's names in Python, with results in arrays of the caller. Judged by laws and by zwang's own calls."""
import numpy as np
import pytest

import zwang as zw

rbdl = pytest.importorskip("zwang.rbdl", reason="this build has no RBDL names")


def sized(*shape):
    return np.full(shape, np.nan)


@pytest.fixture
def model():
    """A floating body with two arms, one behind a ball joint, and a tool."""
    body = rbdl.Body.fromMassComInertia(1.3, np.array([0.1, 0.2, 0.3]), np.diag([0.4, 0.5, 0.6]))
    frame = rbdl.SpatialTransform(np.eye(3), np.array([0.3, -0.2, 0.5]))
    m = rbdl.Model()
    base = m.AddBody(0, rbdl.SpatialTransform(), rbdl.Joint.fromJointType("JointTypeFloatingBase"), body, "base")
    m.AppendBody(frame, rbdl.Joint.fromJointAxes([np.array([0, 0, 1, 0, 0, 0.0]), np.array([0, 1, 0, 0, 0, 0.0])]), body, "arm")
    m.AppendBody(frame, rbdl.Joint.fromJointType("JointTypeFixed"), body, "tool")
    m.AddBody(base, frame, rbdl.Joint.fromJointType("JointTypeSpherical"), body, "other")
    return m


@pytest.fixture
def state(model):
    draw = np.random.default_rng(1)
    return draw.normal(size=model.q_size), draw.normal(size=model.dof_count), draw.normal(size=model.dof_count)


def test_ids_names_and_sizes_are_those_of_rbdl(model):
    assert (model.dof_count, model.q_size, model.GetBodyId("arm"), model.GetBodyId("other")) == (11, 13, 4, 5)
    assert model.IsFixedBodyId(model.GetBodyId("tool")) and model.GetBodyId("hand") == 2**32 - 1
    assert model.GetParentBodyId(model.GetBodyId("arm")) == 2 and model.mBodies[3].mIsVirtual
    assert model.mBodies[4].mMass == 2.6 and list(model.gravity) == [0, -9.81, 0]
    q = np.zeros(13)
    model.SetQuaternion(5, np.array([0.1, 0.2, 0.3, 0.4]), q)
    assert list(q[8:11]) == [0.1, 0.2, 0.3] and q[12] == 0.4 and list(model.GetQuaternion(5, q)) == [0.1, 0.2, 0.3, 0.4]


def test_results_go_into_the_arrays_of_the_caller(model, state):
    q, v, a = state
    tau, bias, back, H = sized(11), sized(11), sized(11), sized(11, 11)
    rbdl.InverseDynamics(model, q, v, a, tau)
    rbdl.NonlinearEffects(model, q, v, bias)
    rbdl.CompositeRigidBodyAlgorithm(model, q, H)
    np.testing.assert_allclose(H @ a + bias, tau, rtol=0, atol=1e-12 * abs(tau).max())
    rbdl.ForwardDynamics(model, q, v, tau, back)
    np.testing.assert_allclose(back, a, rtol=0, atol=1e-11)
    rbdl.CalcMInvTimesTau(model, q, H @ v, back)
    np.testing.assert_allclose(back, v, rtol=0, atol=1e-11)
    assert rbdl.CalcKineticEnergy(model, q, v) == pytest.approx(v @ H @ v / 2, rel=1e-13)

    point, tool = np.array([0.5, 0.1, -0.2]), model.GetBodyId("tool")
    G, G6, wide = sized(3, 11), np.asfortranarray(sized(6, 11)), sized(6, 22)
    rbdl.CalcPointJacobian(model, q, tool, point, G)
    rbdl.CalcPointJacobian6D(model, q, tool, point, G6)
    rbdl.CalcPointJacobian6D(model, q, tool, point, wide[:, ::2])
    np.testing.assert_array_equal(G6[3:], G)
    np.testing.assert_array_equal(wide[:, ::2], G6)
    np.testing.assert_allclose(rbdl.CalcPointVelocity6D(model, q, v, tool, point), G6 @ v, rtol=0, atol=1e-13)
    rest = rbdl.CalcPointAcceleration(model, q, v, 0 * a, tool, point)
    np.testing.assert_allclose(rbdl.CalcPointAcceleration(model, q, v, a, tool, point), G @ a + rest, rtol=0, atol=1e-12)
    seen = rbdl.CalcBodyToBaseCoordinates(model, q, tool, point)
    np.testing.assert_allclose(rbdl.CalcBaseToBodyCoordinates(model, q, tool, seen), point, rtol=0, atol=1e-14)
    E = rbdl.CalcBodyWorldOrientation(model, q, tool)
    np.testing.assert_allclose(E @ E.T, np.eye(3), rtol=0, atol=1e-14)
    rbdl.UpdateKinematics(model, q, v, a)
    np.testing.assert_allclose(model.X_base[4].E, E, rtol=0, atol=1e-14)


def test_external_forces_and_centre_of_mass(model, state):
    q, v, a = state
    force = [np.zeros(6) for _ in model.mBodies]
    force[4] = np.array([1, 2, 3, 4, 5, 6.0])
    tau, plain, G6 = sized(11), sized(11), sized(6, 11)
    rbdl.InverseDynamics(model, q, v, a, plain)
    rbdl.InverseDynamics(model, q, v, a, tau, force)
    origin = rbdl.CalcBaseToBodyCoordinates(model, q, 4, np.zeros(3))
    rbdl.CalcPointJacobian6D(model, q, 4, origin, G6)
    np.testing.assert_allclose(plain - tau, G6.T @ force[4], rtol=0, atol=1e-11)
    com, velocity = sized(3), sized(3)
    assert rbdl.CalcCenterOfMass(model, q, v, com, com_velocity=velocity) == pytest.approx(5.2)
    assert rbdl.CalcPotentialEnergy(model, q) == pytest.approx(5.2 * 9.81 * com[1])
    with pytest.raises(ValueError, match="qddot is null"):
        rbdl.CalcCenterOfMass(model, q, v, com, com_acceleration=velocity)


def test_contacts_hold_and_stop(model, state):
    q, v, tau = state
    contacts = rbdl.ConstraintSet()
    for k in range(3):
        assert contacts.AddContactConstraint(5, np.array([0.1, 0, 0]), np.eye(3)[k], "foot") == k
    with pytest.raises(RuntimeError, match="Bind"):
        rbdl.ForwardDynamicsConstraintsDirect(model, q, v, tau, contacts, sized(11))
    assert contacts.Bind(model)
    a, again, G, H = sized(11), sized(11), sized(3, 11), sized(11, 11)
    rbdl.ForwardDynamicsConstraintsDirect(model, q, v, tau, contacts, a)
    rbdl.ForwardDynamicsConstraintsNullSpace(model, q, v, tau, contacts, again)
    np.testing.assert_allclose(again, a, rtol=0, atol=1e-12)
    assert np.abs(rbdl.CalcPointAcceleration(model, q, v, a, 5, np.array([0.1, 0, 0]))).max() < 1e-10
    rbdl.CalcConstraintsJacobian(model, q, contacts, G)
    needed = sized(11)
    rbdl.InverseDynamics(model, q, v, a, needed)
    np.testing.assert_allclose(tau + G.T @ contacts.force, needed, rtol=0, atol=1e-10)
    rbdl.CompositeRigidBodyAlgorithm(model, q, H)
    for name in ("Direct", "RangeSpaceSparse", "NullSpace"):
        after = sized(11)
        getattr(rbdl, "ComputeConstraintImpulses" + name)(model, q, v, contacts, after)
        np.testing.assert_allclose(H @ (after - v), G.T @ contacts.impulse, rtol=0, atol=1e-11)
        assert np.abs(G @ after).max() < 1e-12
    assert contacts.getGroupIndexByName("foot") == 0 and contacts.getGroupSize(0) == 3
    with pytest.raises(NotImplementedError, match="target_point"):
        contacts.enableBaumgarteStabilization(0)


def test_a_linkage_closes_and_moves_as_desired():
    model, loop = rbdl.Model(), rbdl.ConstraintSet()
    rod = rbdl.Body.fromMassComInertia(1.0, np.array([0.5, 0, 0]), 0.1 * np.eye(3))
    hinge, end = rbdl.Joint.fromJointType("JointTypeRevoluteZ"), rbdl.SpatialTransform(np.eye(3), np.array([1.0, 0, 0]))
    crank = model.AddBody(0, rbdl.SpatialTransform(), hinge, rod)
    coupler, rocker = model.AddBody(crank, end, hinge, rod), model.AddBody(0, end, hinge, rod)
    for k in (3, 4):
        loop.AddLoopConstraint(coupler, rocker, end, end, np.eye(6)[k])
    loop.Bind(model)
    q, v, a, tau, again = (sized(3) for _ in range(5))
    assert rbdl.CalcAssemblyQ(model, np.array([1.4, -1.7, 1.5]), loop, q, np.ones(3))
    rbdl.CalcAssemblyQDot(model, q, np.array([1.0, 0, 0]), loop, v, np.ones(3))
    loop.SetActuationMap(model, [True, False, False])
    assert rbdl.isConstrainedSystemFullyActuated(model, q, v, loop)
    rbdl.InverseDynamicsConstraints(model, q, v, np.array([2.0, 0, 0]), loop, a, tau)
    rbdl.ForwardDynamicsConstraintsDirect(model, q, v, tau, loop, again)
    np.testing.assert_allclose(again, a, rtol=0, atol=1e-11)
    assert a[0] == pytest.approx(2) and tau[1] == tau[2] == 0
    points = [np.array([0.3, 0, 0])]
    target = [rbdl.CalcBodyToBaseCoordinates(model, q, coupler, points[0])]
    assert rbdl.InverseKinematics(model, q + 0.05, [coupler], points, target, again)


def test_urdf_moves_as_zwangs_own():
    path = "models/arm7.urdf"
    model, own = rbdl.loadModel(path), zw.load(path, root="fixed")
    draw = np.random.default_rng(2)
    q, v, a = draw.normal(size=(3, 7))
    tau = sized(7)
    rbdl.InverseDynamics(model, q, v, a, tau)
    effects = zw.JointEffects(armature=False, damping=False, springs=False, friction=False)
    np.testing.assert_allclose(tau, zw.inverse_dynamics(own, q, v, a, joint_effects=effects), rtol=0, atol=1e-11)


def test_wrong_calls_say_what_is_wrong(model, state):
    q, v, a = state
    with pytest.raises(ValueError, match="size of Q is 3, expected 13"):
        rbdl.CalcBodyToBaseCoordinates(model, q[:3], 4, np.zeros(3))
    with pytest.raises(ValueError, match="no body with the id 77"):
        rbdl.CalcBodyToBaseCoordinates(model, q, 77, np.zeros(3))
    with pytest.raises(ValueError, match="number of rows"):
        rbdl.CalcPointJacobian(model, q, 4, np.zeros(3), sized(6, 11))
    with pytest.raises(ValueError, match="JointTypeSpherical"):
        rbdl.Joint.fromJointType("JointTypeBall")
    with pytest.raises(ValueError, match="no such file"):
        rbdl.loadModel("/no/such/file.urdf")
    with pytest.raises(TypeError):  # an array of integers cannot take the result
        rbdl.InverseDynamics(model, q, v, a, np.zeros(11, dtype=int))


def test_kinematics_follow_what_is_given(model, state):
    q, v, a = state
    rbdl.UpdateKinematics(model, 0 * q, 0 * v, 0 * a)
    rbdl.UpdateKinematicsCustom(model, q)
    rbdl.UpdateKinematicsCustom(model, qdot=v)
    rbdl.UpdateKinematicsCustom(model, None, None, a)
    point, none = np.array([0.1, 0.2, 0.3]), 0 * q
    np.testing.assert_array_equal(rbdl.CalcPointAcceleration6D(model, none, 0 * v, 0 * a, 4, point, update_kinematics=False),
                                  rbdl.CalcPointAcceleration6D(model, q, v, a, 4, point))


def test_targets_of_bodies_and_of_the_centre_of_mass(model, state):
    q, v, _ = state
    targets, found, com, wanted = rbdl.InverseKinematicsConstraintSet(), sized(model.q_size), sized(3), sized(3)
    rbdl.CalcCenterOfMass(model, q, v, com)
    tip = np.array([0.1, 0.2, 0.3])
    assert targets.AddFullConstraint(4, tip, rbdl.CalcBodyToBaseCoordinates(model, q, 4, tip), rbdl.CalcBodyWorldOrientation(model, q, 4)) == 0
    assert targets.AddPointConstraintCoMXY(0, com, weight=0.5) == 1
    targets.max_steps = 500
    start = q + 0.05
    assert rbdl.InverseKinematics(model, start, targets, found)
    assert targets.num_constraints == 8 and targets.error_norm < 1e-11 and 0 < targets.num_steps < 500
    rbdl.CalcCenterOfMass(model, found, v, wanted)
    np.testing.assert_allclose(wanted[:2], com[:2], rtol=0, atol=1e-10)
    np.testing.assert_allclose(rbdl.CalcBodyToBaseCoordinates(model, found, 4, tip), rbdl.CalcBodyToBaseCoordinates(model, q, 4, tip), atol=1e-10)
    assert targets.ClearConstraints() == 0


def test_the_zero_moment_point_and_the_names_of_one_solve(model, state):
    q, v, a = state
    zmp, tau, one, other = sized(3), sized(11), sized(11), sized(11)
    model.gravity = np.array([0, 0, -9.81])
    rbdl.InverseDynamics(model, q, v, a, tau)
    normal, point = np.array([0.0, 0, 1]), np.array([0.1, 0.2, 0.3])
    rbdl.CalcZeroMomentPoint(model, q, v, a, zmp, normal, point)
    assert zmp[2] == pytest.approx(0.3)
    # The wrench of the base's six coordinates, forces along base axes and a moment about the base in its axes, has no moment there.
    E, place = rbdl.CalcBodyWorldOrientation(model, q, 2), rbdl.CalcBodyToBaseCoordinates(model, q, 2, np.zeros(3))
    moment = E.T @ tau[3:6] + np.cross(place - zmp, tau[:3])
    np.testing.assert_allclose(moment[:2], 0, atol=1e-11)
    rbdl.ForwardDynamics(model, q, v, tau, one)
    rbdl.ForwardDynamicsLagrangian(model, q, v, tau, other)
    np.testing.assert_array_equal(one, other)
    contact = rbdl.ConstraintSet()
    contact.AddContactConstraint(4, np.zeros(3), normal, "down")
    contact.Bind(model)
    error, rate = sized(1) + 3, sized(1)
    rbdl.CalcConstraintsPositionError(model, q, contact, error)
    rbdl.CalcConstraintsVelocityError(model, q, v, contact, rate)
    assert error[0] == 0 and rate[0] == pytest.approx(rbdl.CalcPointVelocity(model, q, v, 4, np.zeros(3))[2])
    rbdl.ForwardDynamicsConstraintsDirect(model, q, v, tau, contact, one)
    rbdl.ForwardDynamicsContactsKokkevis(model, q, v, tau, contact, other)
    np.testing.assert_array_equal(one, other)
