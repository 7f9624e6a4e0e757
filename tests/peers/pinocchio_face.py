#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the same calls with pinocchio and with zwang.pinocchio, and prints the worst difference of each quantity.

    pinocchio_face.py [<folder or URDF> ...]

Every joint type alone and in the middle of a chain, random trees, and the URDFs given, fixed, floating and planar. Exit code 0: all agree to
1e-9 of their largest entry, but for what Pinocchio has wrong (CORRECTED, docs/migrate/pinocchio.md; tests/python/test_pinocchio_face_*.py
have these against differences); 1: something differs; 77: skipped, since Python does not import pinocchio or zwang.
"""
import glob
import os
import sys

TOLERANCE = 1e-9


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


try:
    import numpy as np
    import pinocchio as pin
    import zwang.pinocchio as face
except ImportError as error:
    skip(str(error))

rng = np.random.default_rng(1)
REFERENCES = ("LOCAL", "WORLD", "LOCAL_WORLD_ALIGNED")
TURNING = ("SphericalZYX", "Universal", "Ellipsoid", "Composite")  # their axes turn with q
KINDS = [(name,) for name in ("RX", "RY", "RZ", "PX", "PY", "PZ", "RUBX", "RUBY", "RUBZ", "FreeFlyer", "Spherical", "SphericalZYX", "Translation",
                              "Planar", "Composite")]
KINDS += [("HX", 0.3), ("HY", -0.2), ("HZ", 0.5), ("RevoluteUnaligned", np.array([0.6, 0.0, 0.8])), ("PrismaticUnaligned", np.array([0.0, 0.6, -0.8])),
          ("HelicalUnaligned", np.array([0.6, 0.8, 0.0]), 0.4), ("Universal", np.array([1.0, 0, 0]), np.array([0, 0.6, 0.8])), ("Ellipsoid", 0.3, 0.4, 0.5)]

# What Pinocchio has wrong, by the start of the name; the second word says of which robots: all, those with joints whose axes turn with q, those
# with joints of several freedoms.
CORRECTED = {"rate of Jacobian": "turning", "dJ": "turning", "C": "turning", "dAg": "turning", "energy with armature": "all",
             "LWA dq": "all", "d rnea": "turning", "d aba": "turning", "d momentum": "turning", "d acceleration WORLD 1": "several",
             "d acceleration": "turning", "d velocity": "turning", "Hessian LOCAL": "several", "Hessian": "turning", "shock of a loop": "all",
             "theirs:": "all"}


def worst_of(ours, theirs):
    a, b = (np.asarray(x.vector if hasattr(x, "vector") else x.homogeneous if hasattr(x, "homogeneous") else x.matrix() if hasattr(x, "matrix") else x,
                       dtype=float) for x in (ours, theirs))
    if a.size != b.size:  # Pinocchio gives (6,) where nv is 1
        return np.inf
    d = np.abs(a.reshape(b.shape) - b).max(initial=0) / max(1.0, np.abs(b).max(initial=0))
    return d if np.isfinite(d) else np.inf


def full(M):
    return np.triu(M) + np.triu(M, 1).T


def both(name, *arguments):
    """The same function of both, on lists of arguments of which some are pairs (theirs, ours)."""
    pick = lambda k: [x[k] if isinstance(x, tuple) else x for x in arguments]
    return getattr(face, name)(*pick(1)), getattr(pin, name)(*pick(0))


class Robot:
    """A robot of both in one state."""

    def __init__(self, theirs, ours):
        self.m = (theirs, ours)
        self.d = (theirs.createData(), ours.createData())
        self.turning = any(j.shortname()[len("JointModel"):] in TURNING for j in list(theirs.joints)[1:])
        self.applies = {"all": True, "turning": self.turning, "several": self.turning or any(j.nv > 1 for j in list(theirs.joints)[1:])}
        armature = np.linspace(0, 0.3, theirs.nv)
        theirs.armature, ours.armature = armature, armature
        self.q = pin.integrate(theirs, pin.neutral(theirs), rng.uniform(-2, 2, theirs.nv))
        self.v, self.a, self.tau = rng.uniform(-1, 1, (3, theirs.nv))
        forces = [pin.Force.Random() for _ in range(theirs.njoints)]
        self.fext = (pin.StdVec_Force(), [face.Force(f.vector) for f in forces])
        for f in forces:
            self.fext[0].append(f)
        X = pin.SE3.Random()
        self.X = (X, face.SE3(X.homogeneous))

    def call(self, name, *arguments):
        return both(name, self.m, self.d, *arguments)


def structure(r):
    p, z = r.m
    same = list(p.names) == z.names and (p.nq, p.nv, p.nframes) == (z.nq, z.nv, z.nframes)
    yield "names and sizes", 0.0 if same else 1.0, 0.0
    for k in range(1, p.njoints):
        a, b = p.joints[k], z.joints[k]
        same = (a.shortname(), a.idx_q, a.idx_v, a.nq, a.nv, p.parents[k]) == (b.shortname(), b.idx_q, b.idx_v, b.nq, b.nv, z.parents[k])
        yield "joints", 0.0 if same else 1.0, 0.0
        yield "inertias", z.inertias[k], p.inertias[k]
        yield "jointPlacements", z.jointPlacements[k], p.jointPlacements[k]
    for a, b in zip(p.frames, z.frames):
        yield "frames", 0.0 if (a.name, a.parentJoint, int(a.type)) == (b.name, b.parentJoint, int(b.type)) else 1.0, 0.0
        yield "frame placements", b.placement, a.placement
        yield "frame inertias", b.inertia, a.inertia


def configurations(r):
    p, q, v = r.m, r.q, r.v
    r2 = pin.integrate(p[0], q, v)
    yield ("neutral", *both("neutral", p))
    yield "integrate", face.integrate(p[1], q, v), r2
    for name in ("difference", "squaredDistance", "distance"):
        yield (name, *both(name, p, q, r2))
    yield ("interpolate", *both("interpolate", p, q, r2, 0.3))
    yield ("tangentMap", *both("tangentMap", p, q))
    for name, other in (("dIntegrate", v), ("dDifference", r2)):
        for ours, theirs in zip(*both(name, p, q, other)):
            yield name, ours, theirs


def kinematics(r):
    q, v, a = r.q, r.v, r.a
    for m, d, lib in zip(r.m, r.d, (pin, face)):
        lib.forwardKinematics(m, d, q, v, a)
        lib.updateFramePlacements(m, d)
        lib.computeJointJacobians(m, d, q)
        lib.computeJointJacobiansTimeVariation(m, d, q, v)
    for k in range(1, r.m[0].njoints):
        for name in ("oMi", "liMi", "v", "a"):
            yield name, getattr(r.d[1], name)[k], getattr(r.d[0], name)[k]
    yield "J", r.d[1].J, r.d[0].J
    yield "dJ", r.d[1].dJ, r.d[0].dJ
    for word in REFERENCES:
        reference = (getattr(pin, word), getattr(face, word))
        for k in range(1, r.m[0].njoints):
            yield (f"getJointJacobian {word}", *r.call("getJointJacobian", k, reference))
            yield (f"rate of Jacobian {word}", *r.call("getJointJacobianTimeVariation", k, reference))
            for name in ("getVelocity", "getAcceleration", "getClassicalAcceleration"):
                yield (f"{name} {word}", *r.call(name, k, reference))
            for name in ("getFrameJacobian", "getFrameVelocity", "getFrameAcceleration", "getFrameClassicalAcceleration"):
                yield (f"{name} {word} at a placement", *r.call(name, k, r.X, reference))
        for k in range(r.m[0].nframes):
            yield (f"getFrameJacobian {word}", *r.call("getFrameJacobian", k, reference))
            if r.m[0].frames[k].parentJoint:
                for name in ("getFrameVelocity", "getFrameAcceleration", "getFrameClassicalAcceleration"):
                    yield (f"{name} {word}", *r.call(name, k, reference))
    for k in range(r.m[0].nframes):
        yield "oMf", r.d[1].oMf[k], r.d[0].oMf[k]


def dynamics(r):
    q, v, a = r.q, r.v, r.a
    yield ("rnea", *r.call("rnea", q, v, a, r.fext))
    for k in range(1, r.m[0].njoints):
        for name in ("f", "a_gf", "h"):
            yield name, getattr(r.d[1], name)[k], getattr(r.d[0], name)[k]
    ours, theirs = r.call("crba", q)
    M = full(np.atleast_2d(theirs))
    yield "crba", ours, M
    regular = np.linalg.eigvalsh(M)[0] > 1e-9
    if regular:
        yield ("aba", *r.call("aba", q, v, r.tau, r.fext))
        ours, theirs = r.call("computeMinverse", q)
        yield "computeMinverse", ours, full(np.atleast_2d(theirs))
    for name, rest in (("nonLinearEffects", (q, v)), ("computeGeneralizedGravity", (q,)), ("computeStaticTorque", (q, r.fext)),
                       ("computePotentialEnergy", (q,))):
        yield (name, *r.call(name, *rest))
    yield ("C", *r.call("computeCoriolisMatrix", q, v))
    yield ("energy with armature", *r.call("computeKineticEnergy", q, v))
    if not pin.computeTotalMass(r.m[0]) > 0:
        return
    yield ("centerOfMass", *r.call("centerOfMass", q, v, a))
    r.call("computeSubtreeMasses")
    heavy = [k for k in range(r.m[0].njoints) if r.d[0].mass[k] > 0]
    for k in heavy:
        for name in ("mass", "com", "vcom", "acom"):
            yield name, getattr(r.d[1], name)[k], getattr(r.d[0], name)[k]
    yield ("jacobianCenterOfMass", *r.call("jacobianCenterOfMass", q))
    for k in heavy:
        yield "com in world", r.d[1].com[k], r.d[0].com[k]
        if k:
            yield ("jacobianSubtreeCenterOfMass", *r.call("jacobianSubtreeCenterOfMass", q, k))
    yield ("Ag", *r.call("ccrba", q, v))
    yield "hg", r.d[1].hg, r.d[0].hg
    yield "Ig", r.d[1].Ig, r.d[0].Ig
    for k in heavy[1:]:
        yield "oYcrb", r.d[1].oYcrb[k], r.d[0].oYcrb[k]
    yield ("dAg", *r.call("dccrba", q, v))
    yield ("dhg", *r.call("computeCentroidalMomentumTimeVariation", q, v, a))
    r.call("computeAllTerms", q, v)
    for name in ("nle", "g", "Jcom", "Ag", "potential_energy", "hg", "J", "Ig"):
        yield f"computeAllTerms {name}", getattr(r.d[1], name), getattr(r.d[0], name)


def derivatives(r):
    q, v, a = r.q, r.v, r.a
    regular = np.linalg.eigvalsh(face.crba(r.m[1], r.d[1], q))[0] > 1e-9
    if not regular or not pin.computeTotalMass(r.m[0]) > 0:
        return
    for name, last in (("rnea", a), ("aba", r.tau)):
        for k, (ours, theirs) in enumerate(zip(*r.call(f"compute{name.upper()}Derivatives", q, v, last, r.fext))):
            yield f"d {name} {k}", ours, full(np.atleast_2d(theirs)) if k == 2 else theirs
    yield ("d rnea gravity", *r.call("computeGeneralizedGravityDerivatives", q))
    yield ("d rnea static", *r.call("computeStaticTorqueDerivatives", q, r.fext))
    for k, (ours, theirs) in enumerate(zip(*r.call("computeCentroidalDynamicsDerivatives", q, v, a))):
        yield ("d momentum" if k == 0 else f"d momentum rate {k}"), ours, theirs
    for m, d, lib in zip(r.m, r.d, (pin, face)):
        lib.computeForwardKinematicsDerivatives(m, d, q, v, a)
    for word in REFERENCES:
        reference = (getattr(pin, word), getattr(face, word))
        for k in range(1, r.m[0].njoints):
            for name, arguments in (("getJointAccelerationDerivatives", ()), ("getFrameAccelerationDerivatives", (r.X,))):
                for i, (ours, theirs) in enumerate(zip(*r.call(name, k, *arguments, reference))):
                    aligned = word == "LOCAL_WORLD_ALIGNED" and i < 2
                    yield (f"LWA dq {i}" if aligned else f"d velocity {word}" if i == 0 else f"d acceleration {word} {i}"), ours, theirs
            if word != "WORLD":
                for ours, theirs in zip(*r.call("getPointClassicAccelerationDerivatives", k, r.X, reference)):
                    yield f"d acceleration of a point {word}", ours, theirs
            yield (f"computeJointKinematicRegressor {word}", *r.call("computeJointKinematicRegressor", k, reference, r.X))
    for m, d, lib in zip(r.m, r.d, (pin, face)):
        lib.computeJointKinematicHessians(m, d, q)
    nv = r.m[0].nv
    for word in REFERENCES:
        for k in range(1, r.m[0].njoints):
            ours, theirs = r.call("getJointKinematicHessian", k, (getattr(pin, word), getattr(face, word)))
            yield f"Hessian {word}", ours, np.asarray(theirs).reshape(-1).reshape((6, nv, nv), order="F")  # its numbers come column by column
    yield ("computeJointTorqueRegressor", *r.call("computeJointTorqueRegressor", q, v, a))
    for k in range(1, r.m[0].njoints):
        yield ("jointBodyRegressor", *r.call("jointBodyRegressor", k))
    yield ("computeStaticRegressor", *r.call("computeStaticRegressor", q))
    yield ("computeKineticEnergyRegressor", *r.call("computeKineticEnergyRegressor", q, v))
    yield ("computePotentialEnergyRegressor", *r.call("computePotentialEnergyRegressor", q))


def constraints(r):
    p, z = r.m
    if not pin.computeTotalMass(p) > 0 or p.nv < 12 or r.turning or np.linalg.eigvalsh(face.crba(z, r.d[1], r.q))[0] < 1e-9:
        return
    settings = pin.ProximalSettings(1e-14, 1e-14, 0.0, 1)
    for type_ in ("CONTACT_3D", "CONTACT_6D"):
        for word in ("LOCAL", "LOCAL_WORLD_ALIGNED"):
            for other in (0, p.njoints // 2):
                A, B = pin.SE3.Random(), pin.SE3.Random() if other else pin.SE3.Identity()
                theirs = pin.RigidConstraintModel(getattr(pin.ContactType, type_), p, p.njoints - 1, A, other, B, getattr(pin, word))
                ours = face.RigidConstraintModel(getattr(face, type_), z, z.njoints - 1, face.SE3(A.homogeneous), other, face.SE3(B.homogeneous),
                                                 getattr(face, word))
                models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
                models.append(theirs)
                datas.append(theirs.createData())
                face.forwardKinematics(z, r.d[1], r.q)
                if np.linalg.cond(face.getConstraintsJacobian(z, r.d[1], [ours])) > 1e4:
                    continue  # rows that nearly depend on each other: Pinocchio's mu decides
                m, d = (models, [ours]), (datas, [ours.createData()])
                pin.initConstraintDynamics(p, r.d[0], models, datas)
                what = "of a loop" if other else "of a contact"
                yield (f"constraintDynamics {what}", *both("constraintDynamics", r.m, r.d, r.q, r.v, r.tau, m, d, settings))
                yield f"lambda_c {what}", r.d[1].lambda_c, r.d[0].lambda_c
                ours_d, theirs_d = both("computeConstraintDynamicsDerivatives", r.m, r.d, m, d, settings)
                slopes = None
                for k, (x, y) in enumerate(zip(ours_d, theirs_d)):
                    if worst_of(x, y) > TOLERANCE and k in (0, 1, 3, 4):  # whose is wrong? That which is not the slope of Pinocchio's own numbers
                        slopes = slopes_of(r, models, datas, settings) if slopes is None else slopes
                        size = 1e4 * max(1.0, np.abs(slopes[k]).max(initial=0))  # five digits of the largest
                        yield f"d constraintDynamics {what} by differences", np.asarray(x) / size, slopes[k] / size
                        yield f"theirs: d constraintDynamics {what}", x, y
                    else:
                        yield f"d constraintDynamics {what}", x, y
                pin.initConstraintDynamics(p, r.d[0], models, datas)
                yield (f"shock {what}", *both("impulseDynamics", r.m, r.d, r.q, r.v, m, d, 0.3, settings))
                both("computeImpulseDynamicsDerivatives", r.m, r.d, m, d, 0.3, settings)
                for name in ("ddq_dq", "ddq_dv", "dlambda_dq", "dlambda_dv"):
                    yield f"shock {what}: {name}", getattr(r.d[1], name), getattr(r.d[0], name)


def slopes_of(r, models, datas, settings, h=2e-4):
    """Slopes of Pinocchio's accelerations and multipliers by differences of fourth order, by number of the derivative."""
    data = r.m[0].createData()
    pin.initConstraintDynamics(r.m[0], data, models, datas)

    def values(q, v):
        a = pin.constraintDynamics(r.m[0], data, q, v, r.tau, models, datas, settings)
        return np.concatenate([a, data.lambda_c])

    def along(at):
        return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    n, eye = r.m[0].nv, np.eye(r.m[0].nv)
    by_q = np.stack([along(lambda t: values(pin.integrate(r.m[0], r.q, t * e), r.v)) for e in eye], axis=1)
    by_v = np.stack([along(lambda t: values(r.q, r.v + t * e)) for e in eye], axis=1)
    return {0: by_q[:n], 1: by_v[:n], 3: by_q[n:], 4: by_v[n:]}


def joint(lib, kind):
    if kind[0] != "Composite":
        return getattr(lib, "JointModel" + kind[0])(*kind[1:])
    offset = np.eye(4)
    offset[:3, 3] = 0.1, 0.2, 0.3
    out = lib.JointModelComposite(lib.JointModelRX(), lib.SE3.Identity())
    for part in (lib.JointModelRY, lib.JointModelPZ, lib.JointModelRUBX):
        out.addJoint(part(), lib.SE3(offset))
    return out


def tree(kinds):
    """Joints of these kinds, depth first, each with a body and a frame, in both libraries."""
    models = (pin.Model(), face.Model())
    for k, kind in enumerate(kinds):
        way = [k]
        while way[-1]:
            way.append(models[0].parents[way[-1]])
        parent = int(rng.choice(way))
        at, Y, frame = pin.SE3.Random(), pin.Inertia.Random(), pin.SE3.Random()
        for lib, model, turn in ((pin, models[0], lambda M: M), (face, models[1], lambda M: face.SE3(M.homogeneous))):
            new = model.addJoint(parent, joint(lib, kind), turn(at), f"joint{k}")
            model.appendBodyToJoint(new, lib.Inertia(Y.mass, Y.lever, Y.inertia), turn(frame))
            model.addJointFrame(new)
            model.addFrame(lib.Frame(f"frame{k}", new, 0, turn(frame), lib.FrameType.OP_FRAME))
    return models


def robots(paths):
    """(name, theirs, ours)"""
    for kind in KINDS:
        yield (kind[0], *tree([kind]))
        yield (f"RX {kind[0]} RZ", *tree([("RX",), kind, ("RZ",)]))
    for seed in range(68):
        kinds = [KINDS[i] for i in rng.integers(0, len(KINDS), 3 + seed % 8)]
        if seed % 2:
            kinds = [k for k in kinds if k[0] not in TURNING] or [("RX",)]
        yield (f"tree {seed}", *tree(kinds))
    for path in paths:
        for root in ("", "FreeFlyer", "Planar"):
            try:
                theirs = pin.buildModelFromUrdf(path, *([getattr(pin, "JointModel" + root)()] if root else []))
            except Exception as error:  # files that it does not read
                print(f"{os.path.basename(path)}: Pinocchio does not read it ({str(error).splitlines()[0]})")
                break
            yield f"{os.path.basename(path)} {root}", theirs, face.buildModelFromUrdf(path, *([getattr(face, "JointModel" + root)()] if root else []))


def main():
    paths = [f for a in sys.argv[1:] for f in (sorted(glob.glob(os.path.join(a, "*.urdf"))) if os.path.isdir(a) else [a])]
    worst, corrected, failed = {}, {}, 0
    for robot, theirs, ours in robots(paths):
        r = Robot(theirs, ours)
        for group in (structure, configurations, kinematics, dynamics, derivatives, constraints):
            for name, own, other in group(r):
                d = worst_of(own, other)
                word = next((w for w in CORRECTED if name.startswith(w)), None)
                if d > TOLERANCE and word and r.applies[CORRECTED[word]]:
                    corrected[name] = max(corrected.get(name, 0), d)
                    continue
                if d > TOLERANCE:
                    failed += 1
                    print(f"{robot}: {name} differs by {d:.1e}")
                worst[name] = max(worst.get(name, 0), d)
    for name, d in sorted(worst.items()):
        print(f"{name:55s} {d:.1e}" + (f"   (corrected: {corrected[name]:.1e})" if name in corrected else ""))
    for name, d in sorted(corrected.items()):
        if name not in worst:
            print(f"{name:55s} Pinocchio's is wrong by {d:.1e}")
    print(f"{failed} differences, {len(worst)} quantities agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
