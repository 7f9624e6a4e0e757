# SPDX-License-Identifier: BSD-3-Clause
"""zwang.pinocchio: contacts and loops, shocks, their derivatives against differences; zwang's Solver as the other way."""
import numpy as np
import pytest
import zwang as zw
import zwang.pinocchio as pin
from conftest import ROOT
from nearness import nearness

STEP = 1e-6
SLOPE = 1e-6  # of central differences with that step, of multipliers near 100
TIGHT = 1e-9  # of systems whose condition is near 1e5


near = nearness(TIGHT)


@pytest.fixture(scope="module")
def state():
    model = pin.buildModelFromUrdf(ROOT / "models" / "humanoid.urdf", pin.JointModelFreeFlyer())
    rng = np.random.default_rng(3)
    q = pin.integrate(model, pin.neutral(model), rng.uniform(-0.7, 0.7, model.nv))
    return model, q, *rng.uniform(-1, 1, (2, model.nv))


CASES = [(kind, reference, loop) for kind in (pin.CONTACT_3D, pin.CONTACT_6D) for reference in (pin.LOCAL, pin.LOCAL_WORLD_ALIGNED)
         for loop in (False, True)]


def constraint(model, kind, reference, loop, seed=1):
    pin.seed(seed)
    one, two = model.getJointId("l_arm_wry") if model.existJointName("l_arm_wry") else 8, model.njoints - 1
    return pin.RigidConstraintModel(kind, model, one, pin.SE3.Random(), two if loop else 0, pin.SE3.Random(), reference)


@pytest.mark.parametrize("kind, reference, loop", CASES)
def test_rows_are_accelerations_of_the_two_frames(state, kind, reference, loop):
    model, q, v, tau = state
    c = constraint(model, kind, reference, loop)
    d, datas = model.createData(), [c.createData()]
    a = pin.constraintDynamics(model, d, q, v, tau, [c], datas)
    J = pin.getConstraintsJacobian(model, d, [c])
    near(pin.rnea(model, d, q, v, a), tau + J.T @ d.lambda_c)
    near(datas[0].contact_force.vector[:c.size()], d.lambda_c)
    pin.forwardKinematics(model, d, q, v, a)
    if kind == pin.CONTACT_3D:
        get = pin.getFrameClassicalAcceleration
        first = get(model, d, c.joint1_id, c.joint1_placement, pin.LOCAL_WORLD_ALIGNED).linear
        second = get(model, d, c.joint2_id, c.joint2_placement, pin.LOCAL_WORLD_ALIGNED).linear if loop else np.zeros(3)
        near(first, second, 1e-8)
    else:
        first = pin.getFrameAcceleration(model, d, c.joint1_id, c.joint1_placement, pin.WORLD)
        second = pin.getFrameAcceleration(model, d, c.joint2_id, c.joint2_placement, pin.WORLD) if loop else pin.Motion.Zero()
        if reference == pin.LOCAL and loop:
            second -= pin.getVelocity(model, d, c.joint1_id, pin.WORLD).cross(pin.getVelocity(model, d, c.joint2_id, pin.WORLD))
        near(first.vector, second.vector, 1e-8)


@pytest.mark.parametrize("kind, reference, loop", CASES)
def test_derivatives_of_constrained_dynamics(state, kind, reference, loop):
    model, q, v, tau = state
    c, d = constraint(model, kind, reference, loop), model.createData()

    def both(q, v, tau):
        e = model.createData()
        a = pin.constraintDynamics(model, e, q, v, tau, [c])
        return np.concatenate([a, e.lambda_c])

    pin.constraintDynamics(model, d, q, v, tau, [c])
    found = pin.computeConstraintDynamicsDerivatives(model, d, [c])
    rng = np.random.default_rng(0)
    for _ in range(2):
        x = rng.uniform(-1, 1, model.nv)
        slopes = [both(pin.integrate(model, q, STEP * x), v, tau) - both(pin.integrate(model, q, -STEP * x), v, tau),
                  both(q, v + STEP * x, tau) - both(q, v - STEP * x, tau), both(q, v, tau + STEP * x) - both(q, v, tau - STEP * x)]
        for k, slope in enumerate(slopes):
            near(np.concatenate([found[k] @ x, found[3 + k] @ x]), slope / (2 * STEP), SLOPE)


@pytest.mark.parametrize("kind, reference, loop", CASES)
def test_shocks_and_their_derivatives(state, kind, reference, loop):
    model, q, v, _ = state
    c, d = constraint(model, kind, reference, loop), model.createData()
    after = pin.impulseDynamics(model, d, q, v, [c], [c.createData()], 0.3)
    J = pin.getConstraintsJacobian(model, d, [c])
    near(J @ after, -0.3 * J @ v, 1e-8)
    near(pin.crba(model, d, q) @ (after - v), J.T @ d.impulse_c, 1e-8)
    pin.computeImpulseDynamicsDerivatives(model, d, [c], [c.createData()], 0.3)

    def both(q, v):
        e = model.createData()
        change = pin.impulseDynamics(model, e, q, v, [c], [c.createData()], 0.3) - v
        return np.concatenate([change, e.impulse_c])
    x = np.random.default_rng(2).uniform(-1, 1, model.nv)
    slope = (both(pin.integrate(model, q, STEP * x), v) - both(pin.integrate(model, q, -STEP * x), v)) / (2 * STEP)
    near(np.concatenate([d.ddq_dq @ x, d.dlambda_dq @ x]), slope, SLOPE)
    near(np.concatenate([d.ddq_dv @ x, d.dlambda_dv @ x]), (both(q, v + STEP * x) - both(q, v - STEP * x)) / (2 * STEP), SLOPE)
    with pytest.raises(ValueError, match="r_coeff"):
        pin.computeImpulseDynamicsDerivatives(model, d, [c], None, 0.5)
    near(pin.impulseDynamics(model, d, q, v, J, 0.3), after, 1e-8)


def test_contacts_are_those_of_zwangs_solver(state):
    """Two feet, one as a plane and one as a point, by a Solver on the robot that zwang reads."""
    model, q, v, tau = state
    robot = zw.load(ROOT / "models" / "humanoid.urdf", root="floating", expand_mimic=True)
    at = robot.layout(model.names[1:])
    links = [link.name for link in robot.links if link.parent is not None and link.joint in model.names]
    one, two = links[5], links[-1]
    k = [model.getJointId(robot.link(name).joint) for name in (one, two)]
    contacts = [pin.RigidConstraintModel(pin.CONTACT_6D, model, k[0], pin.LOCAL), pin.RigidConstraintModel(pin.CONTACT_3D, model, k[1], pin.LOCAL)]
    constraints = zw.ConstraintSet(robot)
    constraints.add_frame("plane", one, "all", "local", acceleration="spatial")
    constraints.add_frame("point", two, "linear", "local")
    effects = zw.JointEffects(armature=False, damping=False, springs=False)
    z, w, t = np.empty(robot.nq), np.empty(robot.nv), np.empty(robot.nv)
    z[at.q], w[at.v], t[at.v] = pin_q_to_angles(model, q), v, tau
    solution = zw.Solver(robot, constraints, joint_effects=effects).solve(z, w, t)
    d = model.createData()
    near(pin.constraintDynamics(model, d, q, v, tau, contacts, [c.createData() for c in contacts]), solution.acceleration[at.v], 1e-8)
    near(d.lambda_c, solution.multipliers, 1e-7)


def pin_q_to_angles(model, q):
    parts = []
    for joint in model.joints[1:]:
        x = q[joint.idx_q:joint.idx_q + joint.nq]
        parts.append([np.arctan2(x[1], x[0])] if joint.nq == 2 else x)
    return np.concatenate(parts)


@pytest.mark.parametrize("kind, loop", [(kind, loop) for kind in (pin.CONTACT_3D, pin.CONTACT_6D) for loop in (False, True)])
def test_gains_pull_small_errors_back(state, kind, loop):
    model, q, v, tau = state
    c, d = constraint(model, kind, pin.LOCAL, loop), model.createData()
    pin.forwardKinematics(model, d, q)
    small = pin.exp6(1e-5 * pin.Motion.Random())  # the errors' rates are then their velocities, but for 1e-5
    c.joint2_placement = d.oMi[c.joint2_id].inverse() * d.oMi[c.joint1_id] * c.joint1_placement * small
    datas = [c.createData()]
    pin.constraintDynamics(model, d, q, v, tau, [c], datas)
    unheld, J = d.ddq.copy(), pin.getConstraintsJacobian(model, d, [c])
    c.corrector.Kp, c.corrector.Kd = 100.0, 20.0
    pin.constraintDynamics(model, d, q, v, tau, [c], datas)
    errors = [datas[0].contact_placement_error.vector[:c.size()], datas[0].contact_velocity_error.vector[:c.size()]]
    near(J @ (d.ddq - unheld), -100 * errors[0] - 20 * errors[1], 1e-7)
    near(errors[1], J @ v)

    def error(t):
        pin.constraintDynamics(model, d, pin.integrate(model, q, t * v), v, tau, [c], datas)
        return datas[0].contact_placement_error.vector[:c.size()].copy()
    near((error(STEP) - error(-STEP)) / (2 * STEP), errors[1], 1e-4)
    with pytest.raises(NotImplementedError, match="zwang.Solver.derivatives"):
        pin.computeConstraintDynamicsDerivatives(model, d, [c])


def test_matrices_of_ones_own(state):
    model, q, v, tau = state
    rng = np.random.default_rng(1)
    J, gamma, d = rng.uniform(-1, 1, (4, model.nv)), rng.uniform(-1, 1, 4), model.createData()
    a = pin.forwardDynamics(model, d, q, v, tau, J, gamma)
    near(J @ a, -gamma)
    near(pin.forwardDynamics(model, d, tau, J, gamma), a)
    near(pin.forwardDynamics(model, d, q, v, tau, constraint_drift=gamma, constraint_jacobian=J), a)
    near(pin.forwardDynamics(model, d, q, v, tau=tau, constraint_jacobian=J, constraint_drift=gamma), a)
    near(pin.forwardDynamics(model, d, tau=tau, constraint_jacobian=J, constraint_drift=gamma), a)
    near(pin.rnea(model, d, q, v, a), tau + J.T @ d.lambda_c)
    with pytest.raises(ValueError, match=r"constraint_drift has shape \(3,\), expected \(4,\)"):
        pin.forwardDynamics(model, d, q, v, tau, J, gamma[1:])
    with pytest.raises(TypeError, match="constraint_drift is missing"):
        pin.forwardDynamics(model, d, q, v, tau, constraint_jacobian=J)
    c = constraint(model, pin.CONTACT_6D, pin.LOCAL, False)
    X = pin.SE3.Random()
    named = pin.RigidConstraintModel(contact_type=pin.CONTACT_6D, model=model, joint1_id=3, joint1_placement=X, joint2_id=5)
    assert named.joint2_id == 5 and named.joint1_placement == X and named.joint1_placement is not X
    D = pin.computeDelassusMatrix(model, d, q, [c], None, 0.1)
    K = pin.getConstraintJacobian(model, d, c)
    near(D, K @ pin.computeMinverse(model, d, q) @ K.T + 0.1 * np.eye(6))
    near(pin.computeDampedDelassusMatrixInverse(model, d, q, [c], None, 0.1) @ D, np.eye(6))


def test_derivatives_are_those_of_the_last_constraint_dynamics(state):
    model, q, v, tau = state
    c, d = constraint(model, pin.CONTACT_6D, pin.LOCAL, True), model.createData()
    pin.constraintDynamics(model, d, q, v, tau, [c])
    before = pin.computeConstraintDynamicsDerivatives(model, d, [c])
    d.ddq[:] = 0  # members are the caller's
    d.lambda_c[:] = 0
    pin.forwardKinematics(model, d, pin.neutral(model), 2 * v)
    for a, b in zip(pin.computeConstraintDynamicsDerivatives(model, d, [c]), before):
        near(a, b, 0)
    with pytest.raises(ValueError, match="contact_models has 2"):
        pin.computeConstraintDynamicsDerivatives(model, d, [c, c])


def test_shocks_by_name(state):
    model, q, v, _ = state
    c, d = constraint(model, pin.CONTACT_3D, pin.LOCAL, False), model.createData()
    after = pin.impulseDynamics(model, d, q, v, [c], [c.createData()], 0.3)
    J = pin.getConstraintsJacobian(model, d, [c])
    damped = pin.impulseDynamics(model, d, q, v, J, 0.0, 0.1)
    assert np.abs(damped - after).max() > 1e-3
    for e in ({"q": q, "v": v, "contact_models": [c], "contact_datas": [c.createData()], "r_coeff": 0.3},
              {"q": q, "v_before": v, "constraint_jacobian": J, "restitution_coefficient": 0.3},
              {"v_before": v, "constraint_jacobian": J, "restitution_coefficient": 0.3}):
        near(pin.impulseDynamics(model, d, **e), after, 1e-8)
    near(pin.impulseDynamics(model, d, q, v, [c], prox_settings=pin.ProximalSettings(), r_coeff=0.3), after, 1e-8)
    near(pin.impulseDynamics(model, d, q, v_before=v, constraint_jacobian=J, restitution_coefficient=0.3), after, 1e-8)
    near(pin.impulseDynamics(model, d, q, v, constraint_jacobian=J, restitution_coefficient=0.3), after, 1e-8)
    near(pin.impulseDynamics(model, d, v, J, 0.3), after, 1e-8)
    near(pin.impulseDynamics(model, d, q[:, None], v[:, None], J, 0.3), after, 1e-8)
    near(pin.impulseDynamics(model, d, q, v, J, damping=0.1), damped, 1e-8)
    with pytest.raises(TypeError, match="nothing"):
        pin.impulseDynamics(model, d, q, v, J, nothing=1)
    with pytest.raises(TypeError, match="constraint_jacobian is missing"):
        pin.impulseDynamics(model, d, q=q, v_before=v)
    with pytest.raises(ValueError, match="constraint_jacobian has shape"):
        pin.impulseDynamics(model, d, q, v, J[:, 1:])


def test_rows_that_contradict_each_other_are_refused(state):
    model, q, v, tau = state
    one = pin.RigidConstraintModel(pin.CONTACT_3D, model, 4, pin.LOCAL)
    two = one.copy()
    d = model.createData()
    pin.constraintDynamics(model, d, q, v, tau, [one, two])  # twice the same: the shortest multipliers
    near(d.lambda_c[:3], d.lambda_c[3:], 1e-7)
    two.desired_contact_acceleration.linear[0] = 1
    with pytest.raises(ArithmeticError, match="report"):
        pin.constraintDynamics(model, d, q, v, tau, [one, two])
    with pytest.raises(TypeError, match="constraint 1 has type float, expected RigidConstraintModel"):
        pin.constraintDynamics(model, d, q, v, tau, [one, 1.0])
    with pytest.raises(ValueError, match="no joint"):
        pin.RigidConstraintModel(pin.CONTACT_3D, model, 999, pin.LOCAL)
    with pytest.raises(ValueError, match="LOCAL_WORLD_ALIGNED"):
        pin.RigidConstraintModel(pin.CONTACT_3D, model, 1, pin.WORLD)
