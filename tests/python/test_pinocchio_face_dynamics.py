# SPDX-License-Identifier: BSD-3-Clause
"""zwang.pinocchio: derivatives against differences, centroidal quantities, regressors, energies."""
import numpy as np
import pytest
import zwang.pinocchio as pin
from conftest import EPS
from nearness import nearness

STEP = 1e-6
SLOPE = 2e-7  # of central differences with that step, of numbers near 10
TIGHT = 1e5 * EPS  # recursions over a robot whose mass matrix has a condition of some 100
REFERENCES = (pin.LOCAL, pin.WORLD, pin.LOCAL_WORLD_ALIGNED)


near = nearness(TIGHT)


@pytest.fixture(scope="module")
def robot():
    """Joints of every kind, not added depth first, armature."""
    pin.seed(4)
    composite = pin.JointModelComposite(pin.JointModelRX())
    composite.addJoint(pin.JointModelPY(), pin.SE3.Random()).addJoint(pin.JointModelRUBZ())
    kinds = [pin.JointModelFreeFlyer(), pin.JointModelPlanar(), pin.JointModelSphericalZYX(), pin.JointModelUniversal([1, 0, 0], [0, 0, 1]),
             composite, pin.JointModelHX(0.2), pin.JointModelRevoluteUnaligned(1, 2, 3), pin.JointModelEllipsoid(0.3, 0.4, 0.5)]
    model = pin.Model()
    for k, (kind, parent) in enumerate(zip(kinds, [0, 1, 1, 2, 3, 4, 5, 6])):
        joint = model.addJoint(parent, kind, pin.SE3.Random(), f"j{k + 1}")
        model.appendBodyToJoint(joint, pin.Inertia.Random(), pin.SE3.Random())
        model.addJointFrame(joint)
        model.addFrame(pin.Frame(f"f{joint}", joint, 0, pin.SE3.Random(), pin.OP_FRAME))
    model.armature = np.linspace(0, 0.3, model.nv)
    rng = np.random.default_rng(8)
    q = pin.integrate(model, pin.neutral(model), rng.uniform(-1, 1, model.nv))
    return model, model.createData(), q, *rng.uniform(-1, 1, (3, model.nv))


def by_q(model, function, q):
    """Central differences along increments of q; the last axis is the increment."""
    return np.stack([(function(pin.integrate(model, q, STEP * e)) - function(pin.integrate(model, q, -STEP * e))) / (2 * STEP)
                     for e in np.eye(model.nv)], axis=-1)


def by_x(function, x):
    """Central differences along a vector."""
    return np.stack([(function(x + STEP * e) - function(x - STEP * e)) / (2 * STEP) for e in np.eye(len(x))], axis=-1)


def test_dynamics_and_their_derivatives(robot):
    model, _, q, v, a, tau = robot
    fext = [pin.Force.Random() for _ in range(model.njoints)]
    d = model.createData()
    dq, dv, M = pin.computeRNEADerivatives(model, d, q, v, a, fext)
    near(d.tau, pin.rnea(model, model.createData(), q, v, a, fext))
    near(dq, by_q(model, lambda x: pin.rnea(model, d, x, v, a, fext), q), SLOPE)
    near(dv, by_x(lambda x: pin.rnea(model, d, q, x, a, fext), v), SLOPE)
    near(M, pin.crba(model, d, q))
    dq, dv, dtau = pin.computeABADerivatives(model, d, q, v, tau, fext)
    near(dq, by_q(model, lambda x: pin.aba(model, d, x, v, tau, fext), q), 1e-5)  # the accelerations are near 1000
    near(dv, by_x(lambda x: pin.aba(model, d, q, x, tau, fext), v), SLOPE)
    near(dtau, pin.computeMinverse(model, d, q))
    near(dtau @ M, np.eye(model.nv), 1e-9)
    near(pin.computeGeneralizedGravityDerivatives(model, d, q), by_q(model, lambda x: pin.computeGeneralizedGravity(model, d, x), q), SLOPE)
    near(pin.computeStaticTorqueDerivatives(model, d, q, fext), by_q(model, lambda x: pin.computeStaticTorque(model, d, x, fext), q), SLOPE)
    near(pin.aba(model, d, q, v, pin.rnea(model, d, q, v, a)), a, 1e-8)
    pin.crba(model, d, q)
    near(pin.cholesky.solve(model, d, M @ a), a, 1e-8)
    near(pin.cholesky.computeMinv(model, d), dtau)


def test_the_coriolis_matrix_belongs_to_the_mass_matrix(robot):
    model, d, q, v, _, _ = robot
    C = pin.computeCoriolisMatrix(model, d, q, v)
    near(C @ v + pin.computeGeneralizedGravity(model, d, q), pin.nonLinearEffects(model, d, q, v))
    rate = (pin.crba(model, d, pin.integrate(model, q, STEP * v)) - pin.crba(model, d, pin.integrate(model, q, -STEP * v))) / (2 * STEP)
    free = np.arange(model.nv) >= 9  # increments of the free and of the planar joint do not commute
    near((C + C.T)[np.ix_(free, free)], rate[np.ix_(free, free)], SLOPE)


def test_energies(robot):
    model, d, q, v, a, _ = robot
    M = pin.crba(model, d, q)
    assert np.isclose(pin.computeKineticEnergy(model, d, q, v), 0.5 * v @ M @ v, rtol=1e-12)
    slope = (pin.computePotentialEnergy(model, d, pin.integrate(model, q, STEP * a))
             - pin.computePotentialEnergy(model, d, pin.integrate(model, q, -STEP * a))) / (2 * STEP)
    assert np.isclose(slope, pin.computeGeneralizedGravity(model, d, q) @ a, rtol=1e-7)
    total = pin.computeMechanicalEnergy(model, d, q, v)
    assert np.isclose(total, d.kinetic_energy + d.potential_energy)


@pytest.mark.parametrize("reference", REFERENCES)
def test_kinematics_and_their_derivatives(robot, reference):
    model, _, q, v, a, _ = robot
    d, e = model.createData(), model.createData()
    M = pin.SE3.Random()

    def velocity(q, v, k):
        pin.forwardKinematics(model, e, q, v)
        return np.concatenate([pin.getVelocity(model, e, k, reference).vector, pin.getFrameVelocity(model, e, k, M, reference).vector])

    def acceleration(q, v, a, k):
        pin.forwardKinematics(model, e, q, v, a)
        return np.concatenate([pin.getAcceleration(model, e, k, reference).vector, pin.getFrameAcceleration(model, e, k, M, reference).vector])

    def jacobian(q, k):
        pin.computeJointJacobians(model, e, q)
        return pin.getJointJacobian(model, e, k, reference)

    pin.computeForwardKinematicsDerivatives(model, d, q, v, a)
    pin.computeJointKinematicHessians(model, d)
    for k in (3, model.njoints - 1):
        ours = [np.concatenate(both) for both in zip(pin.getJointAccelerationDerivatives(model, d, k, reference),
                                                     pin.getFrameAccelerationDerivatives(model, d, k, M, reference))]
        near(ours[0], by_q(model, lambda x: velocity(x, v, k), q), SLOPE)
        near(ours[1], by_q(model, lambda x: acceleration(x, v, a, k), q), SLOPE)
        near(ours[2], by_x(lambda x: acceleration(q, x, a, k), v), SLOPE)
        near(ours[3], by_x(lambda x: velocity(q, x, k), v), SLOPE)
        near(pin.getJointVelocityDerivatives(model, d, k, reference)[0], ours[0][:6])
        near(pin.getFrameVelocityDerivatives(model, d, k, M, reference)[1], ours[3][6:])
        near(pin.getJointKinematicHessian(model, d, k, reference), by_q(model, lambda x: jacobian(x, k), q), SLOPE)
        rate = (jacobian(pin.integrate(model, q, STEP * v), k) - jacobian(pin.integrate(model, q, -STEP * v), k)) / (2 * STEP)
        near(pin.getJointJacobianTimeVariation(model, d, k, reference), rate, SLOPE)
        frame = model.getFrameId(f"f{k}")
        near(pin.getFrameJacobian(model, d, frame, reference), pin.getFrameJacobian(model, d, k, model.frames[frame].placement, reference))
        near(pin.getFrameJacobian(model, d, frame, reference) @ v, pin.getFrameVelocity(model, d, frame, reference))
        near(pin.frameJacobianTimeVariation(model, e, q, v, frame, reference) @ v + pin.getFrameJacobian(model, d, frame, reference) @ a,
             pin.getFrameAcceleration(model, d, frame, reference) if reference != pin.LOCAL_WORLD_ALIGNED
             else pin.getFrameClassicalAcceleration(model, d, frame, reference))
        if reference != pin.WORLD:
            near(pin.getFrameClassicalAcceleration(model, d, frame, reference).linear, pin.classicAcceleration(
                pin.getFrameVelocity(model, d, frame, reference), pin.getFrameAcceleration(model, d, frame, reference)))
            p = pin.getPointClassicAccelerationDerivatives(model, d, k, M, reference)

            def classical(q):
                pin.forwardKinematics(model, e, q, v, a)
                return pin.getFrameClassicalAcceleration(model, e, k, M, reference).linear
            near(p[1], by_q(model, classical, q), SLOPE)
            near(p[0], pin.getPointVelocityDerivatives(model, d, k, M, reference)[0])


def test_columns_and_their_rates(robot):
    model, d, q, v, _, _ = robot
    J = pin.computeJointJacobians(model, d, q)
    near(J[:, :6], pin.getJointJacobian(model, d, 1, pin.WORLD)[:, :6])
    rate = pin.computeJointJacobiansTimeVariation(model, d, q, v)
    e = model.createData()
    slope = (pin.computeJointJacobians(model, e, pin.integrate(model, q, STEP * v))
             - pin.computeJointJacobians(model, e, pin.integrate(model, q, -STEP * v))) / (2 * STEP)
    near(rate, slope, SLOPE)


def test_centres_of_mass_and_momenta(robot):
    model, _, q, v, a, _ = robot
    d, e = model.createData(), model.createData()
    pin.centerOfMass(model, d, q, v, a)
    bodies = [(model.inertias[k].mass, d.oMi[k] * model.inertias[k].lever) for k in range(1, model.njoints)]
    total = pin.computeTotalMass(model)
    near(d.com[0], sum(m * p for m, p in bodies) / total)
    assert np.isclose(total, sum(m for m, _ in bodies)) and np.isclose(d.mass[0], total)

    def motion(t, what):  # along v and a, to second order in time
        return pin.centerOfMass(model, e, pin.integrate(model, q, t * v + t * t / 2 * a)) if what == 0 else None
    near(d.vcom[0], (motion(STEP, 0) - motion(-STEP, 0)) / (2 * STEP), SLOPE)
    h = 1e-4
    near(d.acom[0], (motion(h, 0) - 2 * motion(0, 0) + motion(-h, 0)) / h**2, 1e-5)  # second differences
    sub = [k for k in range(1, model.njoints) if 5 in model.supports[k]]
    mass = sum(model.inertias[k].mass for k in sub)
    there = sum(model.inertias[k].mass * (d.oMi[k] * model.inertias[k].lever) for k in sub) / mass
    near(d.com[5], d.oMi[5].actInv(there))
    J = pin.jacobianCenterOfMass(model, d, q)
    near(J @ v, d.vcom[0])
    near(d.com[5], there)
    near(pin.jacobianSubtreeCenterOfMass(model, d, q, 5), by_q(model, lambda x: _subtree(model, e, x, 5), q), SLOPE)
    near(pin.jacobianSubtreeCenterOfMass(model, d, 0), J)

    A = pin.ccrba(model, d, q, v)
    momentum = sum((d.oMi[k].act(model.inertias[k] * pin.getVelocity(model, d, k)).vector for k in range(1, model.njoints)), np.zeros(6))
    about = pin.SE3(np.eye(3), d.com[0]).actInv(pin.Force(momentum))
    near(d.hg, about)
    near(A @ v, about)
    near(d.Ig.matrix()[:3, :3], total * np.eye(3))
    rate = (pin.computeCentroidalMap(model, e, pin.integrate(model, q, STEP * v))
            - pin.computeCentroidalMap(model, e, pin.integrate(model, q, -STEP * v))) / (2 * STEP)
    near(pin.dccrba(model, d, q, v), rate, SLOPE)
    near(pin.computeCentroidalMomentumTimeVariation(model, d, q, v, a), A @ a + d.dAg @ v)
    near(d.hg, pin.computeCentroidalMomentum(model, e, q, v))

    def change(q, v, a):
        return pin.computeCentroidalMomentumTimeVariation(model, e, q, v, a).vector
    h_q, r_q, r_v, r_a = pin.computeCentroidalDynamicsDerivatives(model, d, q, v, a)
    near(h_q, by_q(model, lambda x: pin.computeCentroidalMomentum(model, e, x, v).vector, q), SLOPE)
    near(r_q, by_q(model, lambda x: change(x, v, a), q), SLOPE)
    near(r_v, by_x(lambda x: change(q, x, a), v), SLOPE)
    near(r_a, A)
    pin.centerOfMass(model, d, q, v)
    near(pin.getCenterOfMassVelocityDerivatives(model, d), by_q(model, lambda x: _speed(model, e, x, v), q), SLOPE)
    pin.computeSubtreeMasses(model, d)
    assert np.isclose(d.mass[5], mass)
    Y = sum((d.oMi[k].act(model.inertias[k]) for k in sub[1:]), d.oMi[sub[0]].act(model.inertias[sub[0]]))
    near(d.oYcrb[5].matrix(), Y.matrix())
    near(d.Ycrb[5].matrix(), d.oMi[5].actInv(Y).matrix())


def _subtree(model, data, q, k):
    pin.jacobianCenterOfMass(model, data, q)
    return data.com[k]


def _speed(model, data, q, v):
    pin.centerOfMass(model, data, q, v)
    return data.vcom[0]


def test_all_terms_are_those_of_single_calls(robot):
    model, _, q, v, _, _ = robot
    d, e = model.createData(), model.createData()
    pin.computeAllTerms(model, d, q, v)
    near(d.M, pin.crba(model, e, q))
    near(d.nle, pin.nonLinearEffects(model, e, q, v))
    near(d.g, pin.computeGeneralizedGravity(model, e, q))
    near(d.Jcom, pin.jacobianCenterOfMass(model, e, q))
    near(d.Ag, pin.ccrba(model, e, q, v))
    near(d.hg, e.hg)
    near(d.J, pin.computeJointJacobians(model, e, q))
    near(d.com[0], pin.centerOfMass(model, e, q))
    near(d.com[3], e.com[3])
    near(pin.getFrameVelocity(model, d, 5), pin.getFrameVelocity(model, e, 5))
    assert np.isclose(d.mechanical_energy, pin.computeMechanicalEnergy(model, e, q, v))


def test_regressors_times_parameters(robot):
    model, _, q, v, a, _ = robot
    d = model.createData()
    phi = [model.inertias[k].toDynamicParameters() for k in range(1, model.njoints)]
    all_phi = np.concatenate(phi)
    Y = pin.computeJointTorqueRegressor(model, d, q, v, a)
    assert Y.shape == (model.nv, 10 * (model.njoints - 1))
    near(Y @ all_phi, pin.rnea(model, d, q, v, a) - model.armature * a)
    pin.rnea(model, d, q, v, a)
    for k in (1, 4, 8):
        wrench = model.inertias[k] * d.a_gf[k] + d.v[k].cross(model.inertias[k] * d.v[k])
        near(pin.jointBodyRegressor(model, d, k) @ phi[k - 1], wrench)
        near(pin.bodyRegressor(d.v[k], d.a_gf[k]) @ phi[k - 1], wrench)
        frame = model.getFrameId(f"f{k}")
        M = model.frames[frame].placement
        near(pin.frameBodyRegressor(model, d, frame) @ M.actInv(model.inertias[k]).toDynamicParameters(), M.actInv(wrench))
    mass_and_first = np.concatenate([p[:4] for p in phi])
    near(pin.computeStaticRegressor(model, d, q) @ mass_and_first, pin.centerOfMass(model, d, q))
    model_armature = model.armature.copy()
    model.armature = np.zeros(model.nv)
    assert np.isclose(pin.computeKineticEnergyRegressor(model, d, q, v) @ all_phi, pin.computeKineticEnergy(model, d, q, v))
    assert np.isclose(pin.computePotentialEnergyRegressor(model, d, q) @ all_phi, pin.computePotentialEnergy(model, d, q))
    model.armature = model_armature


def test_kinematic_regressors_are_how_frames_move_with_placements(robot):
    model, _, q, _, _, _ = robot
    d, k, other = model.createData(), 7, model.copy()
    pin.forwardKinematics(model, d, q)
    frame = model.getFrameId(f"f{k}")
    for reference in REFERENCES:
        Y = pin.computeFrameKinematicRegressor(model, d, frame, reference)
        near(pin.computeJointKinematicRegressor(model, d, k, reference, model.frames[frame].placement), Y)
        assert pin.computeJointKinematicRegressor(model, d, k, reference).shape == Y.shape
    Y = pin.computeFrameKinematicRegressor(model, d, frame, pin.LOCAL)
    for j in (1, 4, 5):
        for c in range(6):
            poses = []
            for sign in (1, -1):
                other.jointPlacements[j] = model.jointPlacements[j] * pin.exp6(sign * STEP * np.eye(6)[c])
                e = other.createData()
                pin.forwardKinematics(other, e, q)
                poses.append(pin.log6(d.oMf[frame].inverse() * e.oMf[frame]).vector)
            other.jointPlacements[j] = model.jointPlacements[j]
            near(Y[:, 6 * (j - 1) + c], (poses[0] - poses[1]) / (2 * STEP), SLOPE)
