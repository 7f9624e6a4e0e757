#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares zwang's quantities with the members of Pinocchio's Data on every URDF of the folders given, and prints a table.

    pinocchio_data.py <folder> [<folder> ...]

Exit code 0: all agree to 1e-10 of their largest entry; 1: something differs; 77: skipped, since Python does not import
pinocchio or zwang, or the folders hold no robots.
"""
import glob
import os
import pathlib
import sys

TOLERANCE = 1e-10


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


try:
    import numpy as np
    import pinocchio as pin
    import zwang as zw
    from zwang._peer_pinocchio import Pinocchio
    from zwang.peers import Refused
except ImportError as error:
    skip(str(error))


class Pair:
    """One robot in one state, in both libraries."""

    def __init__(self, urdf, root, seed):
        try:
            self.zw = zw.load(urdf, root=root, expand_mimic=True)
        except zw.ModelError as refused:
            raise LookupError(str(refused).split(",")[0]) from None
        try:
            peer = Pinocchio(pathlib.Path(urdf).read_text(encoding="utf-8"), root, np.array(self.zw.gravity), False)
            peer.attach(self.zw)
        except (Refused, ValueError) as error:
            raise LookupError(str(error)) from None
        if any(joint.v.stop - joint.v.start != n for joint, n in zip(peer.order, peer.joints().values())) or peer.robot.nv != self.zw.nv:
            raise LookupError("Pinocchio has other joints")
        self.pin, self.data = peer.robot, peer.data
        self.q, rng = self.zw.random(seed=seed), np.random.default_rng(seed)
        self.v, self.a = rng.uniform(-1, 1, self.zw.nv), rng.uniform(-1, 1, self.zw.nv)
        self.order = np.argsort(peer.at_v)  # column of Pinocchio for each of zwang's
        self.pq, self.pv, self.pa = peer.to_peer(self.q), self.v[peer.at_v], self.a[peer.at_v]
        self.no_effects = zw.JointEffects(armature=False, damping=False, springs=False)

    def columns(self, matrix):
        return np.asarray(matrix)[..., self.order]

    def both(self, matrix):
        return np.asarray(matrix)[np.ix_(self.order, self.order)]

    def links(self):
        """Joints of Pinocchio with the link of zwang that has their frame."""
        for joint in self.zw.joints:
            if joint.v.stop > joint.v.start:
                yield joint.child, self.pin.getJointId(joint.name)


def six(force):
    return np.concatenate([force.linear, force.angular])


def comparisons(p):
    """(members of Data, name in zwang, zwang's, Pinocchio's)"""
    m, d, q, v, a = p.zw, p.data, p.q, p.v, p.a
    tip, joint = list(p.links())[-1]
    pin.computeAllTerms(p.pin, d, p.pq, p.pv)
    yield "M", "mass_matrix", zw.mass_matrix(m, q, joint_effects=p.no_effects), p.both(
        np.triu(d.M) + np.triu(d.M, 1).T - np.diag(p.pin.armature))
    yield "nle", "bias_forces", zw.bias_forces(m, q, v, joint_effects=p.no_effects), d.nle[p.order]
    yield "g", "gravity_forces", zw.gravity_forces(m, q), pin.computeGeneralizedGravity(p.pin, d, p.pq)[p.order]
    yield "tau", "inverse_dynamics", zw.inverse_dynamics(m, q, v, a, joint_effects=p.no_effects), (
        pin.rnea(p.pin, d, p.pq, p.pv, p.pa) - p.pin.armature * p.pa)[p.order]
    yield "C", "coriolis_matrix", zw.coriolis_matrix(m, q, v), p.both(pin.computeCoriolisMatrix(p.pin, d, p.pq, p.pv))
    yield "Ag", "centroidal_map", zw.centroidal_map(m, q), p.columns(pin.computeCentroidalMap(p.pin, d, p.pq))
    yield "dAg", "centroidal_map_dot", zw.centroidal_map_dot(m, q, v), p.columns(
        pin.computeCentroidalMapTimeVariation(p.pin, d, p.pq, p.pv))
    pin.computeCentroidalMomentumTimeVariation(p.pin, d, p.pq, p.pv, p.pa)
    yield "hg", "centroidal_momentum", zw.centroidal_momentum(m, q, v), six(d.hg)
    yield "dhg", "centroidal_momentum_rate", zw.centroidal_momentum_rate(m, q, v, a), six(d.dhg)
    pin.ccrba(p.pin, d, p.pq, p.pv)
    yield "Ig", "centroidal_inertia", zw.centroidal_inertia(m, q), d.Ig.matrix()
    pin.centerOfMass(p.pin, d, p.pq, p.pv, p.pa)
    yield "com[0]", "centre_of_mass", zw.centre_of_mass(m, q), d.com[0]
    yield "vcom[0]", "centre_of_mass_velocity", zw.centre_of_mass_velocity(m, q, v), d.vcom[0]
    yield "acom[0]", "centre_of_mass_acceleration", zw.centre_of_mass_acceleration(m, q, v, a), d.acom[0]
    yield "Jcom", "centre_of_mass_jacobian", zw.centre_of_mass_jacobian(m, q), p.columns(
        pin.jacobianCenterOfMass(p.pin, d, p.pq))
    pin.computeSubtreeMasses(p.pin, d)
    pin.forwardKinematics(p.pin, d, p.pq, p.pv, p.pa)
    pin.centerOfMass(p.pin, d, p.pq)
    for link, i in p.links():
        yield "mass[i]", "subtree_mass", zw.subtree_mass(m, link), d.mass[i]
        yield "com[i]", "subtree_centre_of_mass", zw.subtree_centre_of_mass(m, q, link), (
            d.oMi[i].act(d.com[i]))
        yield "h", "body_momentum", zw.body_momentum(m, q, v, link), six(p.pin.inertias[i] * d.v[i])
    pin.crba(p.pin, d, p.pq)
    for link, i in p.links():
        yield "Ycrb", "composite_inertia", zw.composite_inertia(m, q, link), d.Ycrb[i].matrix()
    pin.aba(p.pin, d, p.pq, p.pv, np.zeros(p.pin.nv))
    for link, i in p.links():
        I = zw.articulated_inertia(m, q, link, joint_effects=p.no_effects)
        if p.pin.parents[i] > 0:  # Pinocchio keeps what the joint's own motion leaves of it
            own = next(j.v for j in m.joints if j.child == link)
            S = zw.jacobian(m, q, link, reference="local")[:, own]
            U = I @ S
            I = I - U @ np.linalg.solve(S.T @ U, U.T)
        yield "Yaba", "articulated_inertia", I, d.Yaba[i]
    pin.computeJointJacobians(p.pin, d, p.pq)
    yield "J", "jacobian", zw.jacobian(m, q, tip, reference="world"), p.columns(
        pin.getJointJacobian(p.pin, d, joint, pin.WORLD))
    pin.computeJointJacobiansTimeVariation(p.pin, d, p.pq, p.pv)
    yield "dJ", "jacobian_dot", zw.jacobian_dot(m, q, v, tip, reference="world"), p.columns(
        pin.getJointJacobianTimeVariation(p.pin, d, joint, pin.WORLD))
    pin.computeJointJacobians(p.pin, d, p.pq)
    pin.computeJointKinematicHessians(p.pin, d)
    for word, reference in REFERENCES:
        H = np.asarray(pin.getJointKinematicHessian(p.pin, d, joint, reference))
        H = H.ravel(order="K").reshape(H.shape, order="F")  # the wheel's array has the numbers of a column-major tensor
        yield "kinematic_hessians", "kinematic_hessian", zw.kinematic_hessian(m, q, tip, reference=word), (
            H[:, p.order][:, :, p.order])
    kinetic = pin.computeKineticEnergy(p.pin, d, p.pq, p.pv) - 0.5 * p.pv @ (p.pin.armature * p.pv)
    yield "kinetic_energy", "kinetic_energy", zw.kinetic_energy(m, q, v, joint_effects=p.no_effects), kinetic
    potential = pin.computePotentialEnergy(p.pin, d, p.pq)
    yield "potential_energy", "potential_energy", zw.potential_energy(m, q, joint_effects=p.no_effects), potential
    yield "mechanical_energy", "mechanical_energy", zw.mechanical_energy(m, q, v, joint_effects=p.no_effects), (
        kinetic + potential)
    phi = np.concatenate([p.pin.inertias[i].toDynamicParameters() for i in range(1, p.pin.njoints)])
    own = m.inertial_parameters
    yield "jointTorqueRegressor", "inverse_dynamics_regressor", zw.inverse_dynamics_regressor(m, q, v, a) @ own, (
        pin.computeJointTorqueRegressor(p.pin, d, p.pq, p.pv, p.pa) @ phi)[p.order]
    yield "kineticEnergyRegressor", "kinetic_energy_regressor", zw.kinetic_energy_regressor(m, q, v) @ own, (
        pin.computeKineticEnergyRegressor(p.pin, d, p.pq, p.pv) @ phi)
    yield "potentialEnergyRegressor", "potential_energy_regressor", zw.potential_energy_regressor(m, q) @ own, (
        pin.computePotentialEnergyRegressor(p.pin, d, p.pq) @ phi)


def kinematics(p):
    m, d, q, v, a = p.zw, p.data, p.q, p.v, p.a
    pin.forwardKinematics(p.pin, d, p.pq, p.pv, p.pa)
    pin.updateFramePlacements(p.pin, d)
    for link, i in p.links():
        f = p.pin.getFrameId(link)
        yield "oMi", "frame_pose", zw.frame_pose(m, q, link), d.oMi[i].homogeneous
        yield "oMf", "frame_pose", zw.frame_pose(m, q, link), d.oMf[f].homogeneous
        for word, reference in REFERENCES:
            yield "v, ov", "frame_velocity", zw.frame_velocity(m, q, v, link, reference=word), six(
                pin.getFrameVelocity(p.pin, d, f, reference))
            yield "a, oa", "frame_acceleration", zw.frame_acceleration(
                m, q, v, a, link, reference=word, kind="spatial"), six(pin.getFrameAcceleration(p.pin, d, f, reference))
            if word != "world":  # the classical acceleration of the point at the world's origin has no use
                yield "a", "frame_acceleration classical", zw.frame_acceleration(
                    m, q, v, a, link, reference=word, kind="classical"), six(
                        pin.getFrameClassicalAcceleration(p.pin, d, f, reference))
    for joint in m.joints:
        i = p.pin.getJointId(joint.name)
        if joint.v.stop > joint.v.start and p.pin.parents[i] > 0:
            parent = p.pin.names[p.pin.parents[i]]
            link = next(j.child for j in m.joints if j.name == parent)
            yield "liMi", "relative_pose", zw.relative_pose(m, q, joint.child, link), d.liMi[i].homogeneous


def dynamics(p):
    m, d, q, v, a = p.zw, p.data, p.q, p.v, p.a
    pin.rnea(p.pin, d, p.pq, p.pv, p.pa)
    pin.forwardKinematics(p.pin, d, p.pq, p.pv, p.pa)  # rnea leaves the acceleration minus gravity in a
    wrenches = zw.joint_wrenches(m, q, v, a, joint_effects=p.no_effects)
    for joint in m.joints:
        if joint.v.stop > joint.v.start:
            i = p.pin.getJointId(joint.name)
            yield "f", "joint_wrenches", wrenches[joint.name], six(d.f[i])
    tau = np.linspace(-1, 1, m.nv)
    ptau = np.zeros(m.nv)
    ptau[p.order] = tau
    if not p.pin.armature.any():
        yield "ddq", "forward_dynamics", zw.forward_dynamics(m, q, v, tau, joint_effects=p.no_effects), pin.aba(
            p.pin, d, p.pq, p.pv, ptau)[p.order]
    pin.crba(p.pin, d, p.pq)
    pin.cholesky.decompose(p.pin, d)
    with_rotors = zw.JointEffects(armature=True, damping=False, springs=False)
    if np.allclose(m.armature, p.pin.armature[p.order], rtol=1e-14, atol=0):
        yield "U, D", "cholesky", zw.mass_matrix_solve(m, q, tau, joint_effects=with_rotors), pin.cholesky.solve(
            p.pin, d, ptau)[p.order]
        inverse = pin.computeMinverse(p.pin, d, p.pq)
        yield "Minv", "mass_matrix_inverse", zw.mass_matrix_inverse(m, q, joint_effects=with_rotors), p.both(
            np.triu(inverse) + np.triu(inverse, 1).T)
    d_tau = zw.inverse_dynamics_derivatives(m, q, v, a, joint_effects=p.no_effects)
    by_q, by_v, _ = pin.computeRNEADerivatives(p.pin, d, p.pq, p.pv, p.pa)
    yield "dtau_dq", "inverse_dynamics_derivatives", d_tau.q, p.both(by_q)
    yield "dtau_dv", "inverse_dynamics_derivatives", d_tau.v, p.both(by_v)
    if not p.pin.armature.any():
        d_a = zw.forward_dynamics_derivatives(m, q, v, tau, joint_effects=p.no_effects)
        by_q, by_v, _ = pin.computeABADerivatives(p.pin, d, p.pq, p.pv, ptau)
        yield "ddq_dq", "forward_dynamics_derivatives", d_a.q, p.both(by_q)
        yield "ddq_dv", "forward_dynamics_derivatives", d_a.v, p.both(by_v)
    yield "tau", "static_torque", zw.static_torque(m, q), pin.computeStaticTorque(
        p.pin, d, p.pq, [pin.Force.Zero()] * p.pin.njoints)[p.order]


def subtrees(p):
    m, d, q, v, a = p.zw, p.data, p.q, p.v, p.a
    pin.centerOfMass(p.pin, d, p.pq, p.pv, p.pa)
    pin.forwardKinematics(p.pin, d, p.pq, p.pv, p.pa)
    for link, i in p.links():
        R = d.oMi[i].rotation
        yield "vcom[i]", "centre_of_mass_velocity", zw.centre_of_mass_velocity(m, q, v, subtree=link), R @ d.vcom[i]
        yield "acom[i]", "centre_of_mass_acceleration", zw.centre_of_mass_acceleration(m, q, v, a, subtree=link), (
            R @ d.acom[i])
        yield "Jcom", "centre_of_mass_jacobian", zw.centre_of_mass_jacobian(m, q, subtree=link), p.columns(
            pin.jacobianSubtreeCenterOfMass(p.pin, d, p.pq, i))
    pin.computeCoriolisMatrix(p.pin, d, p.pq, p.pv)
    for link, i in p.links():
        X = pin.SE3(zw.frame_pose(m, q, link)).inverse().toActionMatrix()
        inertia, rate = zw.composite_inertia(m, q, link, v=v)
        yield "oYcrb", "composite_inertia", X.T @ inertia @ X, d.oYcrb[i].matrix()
    pin.forwardKinematics(p.pin, d, p.pq, p.pv, p.pa)
    # Pinocchio leaves out the link that a moving joint carries (its frame has no inertia) and counts all joints behind the
    # body, also those beside the frame: what is left are links behind fixed joints on the last body of a branch.
    for joint in m.joints:
        if joint.type == "fixed" and joint.lumped and p.pin.existFrame(joint.name):
            f = p.pin.getFrameId(joint.name)
            if len(p.pin.subtrees[p.pin.frames[f].parentJoint]) > 1:
                continue
            yield "oYcrb", "supported_inertia", zw.supported_inertia(m, q, joint.child), (
                pin.computeSupportedInertiaByFrame(p.pin, d, f, True).matrix())
            yield "of", "supported_force", zw.supported_force(m, q, v, a, joint.child), six(
                pin.computeSupportedForceByFrame(p.pin, d, f))


def columns(p):
    m, d, q, v, a = p.zw, p.data, p.q, p.v, p.a
    pin.computeJointJacobians(p.pin, d, p.pq)  # psid and psidd are not in the wheel
    yield "J", "column_rates", zw.column_rates(m, q, v, a)[0], p.columns(d.J)


def regressors(p):
    m, d, q, v, a = p.zw, p.data, p.q, p.v, p.a
    link, i = list(p.links())[-1]
    pin.rnea(p.pin, d, p.pq, p.pv, p.pa)
    yield "bodyRegressor", "frame_regressor", zw.frame_regressor(m, q, v, a, link), pin.jointBodyRegressor(p.pin, d, i)
    V, A = (pin.Motion(x) for x in np.random.default_rng(1).normal(size=(2, 6)))
    yield "bodyRegressor", "body_regressor", zw.body_regressor(V.vector, A.vector), pin.bodyRegressor(V, A)
    phi = np.concatenate([p.pin.inertias[k].toDynamicParameters()[:4] for k in range(1, p.pin.njoints)])
    own = m.inertial_parameters.reshape(-1, 10)[:, :4].ravel()
    yield "staticRegressor", "static_regressor", zw.static_regressor(m, q) @ own, pin.computeStaticRegressor(
        p.pin, d, p.pq) @ phi


REFERENCES = ("world", pin.WORLD), ("local", pin.LOCAL), ("local_world_aligned", pin.LOCAL_WORLD_ALIGNED)
FAMILIES = comparisons, kinematics, dynamics, subtrees, columns, regressors


def main(folders):
    files = sorted(f for folder in folders for f in glob.glob(os.path.join(folder, "*.urdf")))
    if not files:
        skip("no robots in " + ", ".join(folders))
    worst, left_out, failed = {}, {}, 0
    for urdf in files:
        for root in ("fixed", "floating"):
            for seed in (1, 2):
                try:
                    p = Pair(urdf, root, seed)
                except LookupError as reason:
                    left_out[os.path.basename(urdf)] = str(reason)
                    continue
                for member, name, ours, theirs in (x for family in FAMILIES for x in family(p)):
                    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
                    scale = max(np.abs(ours).max(), np.abs(theirs).max(), 1e-3)
                    error = np.abs(ours - theirs).max() / scale if ours.shape == theirs.shape else np.inf
                    if not error <= worst.get((member, name), (-1, ""))[0]:
                        worst[member, name] = (error, f"{os.path.basename(urdf)}, {root}")
    for (member, name), (error, where) in worst.items():
        failed += not error <= TOLERANCE
        print(f"{member:26} {name:30} {error:8.1e}  {where}{'' if error <= TOLERANCE else '   DIFFERS'}")
    for name, reason in left_out.items():
        print(f"left out: {name}: {reason}")
    print(f"{len(worst)} quantities, {len(files) - len(left_out)} robots, {failed} differ")
    return 1 if failed or not worst else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
