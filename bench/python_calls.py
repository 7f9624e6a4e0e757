#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What one call costs in Python beside `pin`, in one process: python bench/python_calls.py [robot.urdf ...] [--json] [--smoke]

Needs a Python that imports zwang and pinocchio (pip install pin). Without robots it takes talos_reduced (free root) and panda from
../shared/robots, or those of models/ that are there.

What is compared:
- One state, 64 different random ones in turn, no batch. The least of many rounds counts; in each round both libraries run, one after the
  other. Times are microseconds a call.
- Both give an array of their own, which the next call leaves as it is: pin's function where it returns one (mostly it does), else a copy
  of what it keeps in its data. "in its data" is pin without that copy, where zwang gives an array all the same.
- pin is given its data object and ids of frames, zwang ids of frames (and a list made by model.frames() for all of them).
- Both read the same text: <dynamics>, <mimic> and <transmission> are taken out, as pin's dynamics leave them out. The regressor is that of
  the model with fixed links merged (merge_fixed), as pin's model is.
- Values are compared before anything is timed: the largest difference over the largest number.
The exit code is 0 whatever the times are.
"""
import argparse
import itertools
import json
import pathlib
import re
import sys
import time

import numpy as np
import zwang as zw
from zwang._peer_pinocchio import Pinocchio

ROOT = pathlib.Path(__file__).resolve().parent.parent
STATES = 64


class Pair:
    """One robot in both libraries, and the states in the order of each."""

    def __init__(self, path, root):
        text = re.sub(r"<(dynamics|mimic)\b[^>]*/>|<transmission\b.*?</transmission>", "", pathlib.Path(path).read_text(), flags=re.DOTALL)
        self.model = zw.loads(text, root=root)
        peer = Pinocchio(text, root, np.array(self.model.gravity), False)
        peer.attach(self.model)
        self.pin, self.theirs, self.data, self.at_v = peer.pin, peer.robot, peer.data, peer.at_v
        random = np.random.default_rng(1)
        self.states = []
        for k in range(STATES):
            q, (v, a) = self.model.random(seed=k), random.normal(size=(2, self.model.nv))
            self.states.append(((q, v, a), (peer.to_peer(q), v[self.at_v], a[self.at_v])))
        merged = zw.merge_fixed(self.model)
        self.merged = merged, {name: k for k, name in enumerate(merged.link_names)}
        self.moved = [joint.child for joint in peer.order]

    def v(self, x):
        """Their vectors and rows in our order."""
        out = np.empty_like(x)
        out[self.at_v] = x
        return out

    def columns(self, x):
        return self.v(x.T).T

    def square(self, x):
        return self.columns(self.v(x))

    def regressor(self, Y):
        """Ours, with the columns of their bodies."""
        at = self.merged[1]
        return np.hstack([Y[:, 10 * at[name]:10 * at[name] + 10] for name in self.moved])


def calls(p):
    """(name, ours, theirs, their results as ours, our results as theirs)"""
    pin, m, M, D = p.pin, p.model, p.theirs, p.data
    same, v, columns, square = (lambda x: x), p.v, p.columns, p.square
    name = m.link_names[-1]
    tool, their_tool = m.frame_id(name), M.getFrameId(name, pin.FrameType.BODY)
    links = m.frames(m.link_names)
    their_links = [M.getFrameId(link, pin.FrameType.BODY) for link in m.link_names]
    world = pin.LOCAL_WORLD_ALIGNED

    def all_frames(q, *_):
        pin.framesForwardKinematics(M, D, q)
        return np.array([D.oMf[k].homogeneous for k in their_links])

    def one_frame(q, *_):
        pin.forwardKinematics(M, D, q)
        return pin.updateFramePlacement(M, D, their_tool).homogeneous

    def jacobian_dot(q, u, _):
        pin.computeJointJacobiansTimeVariation(M, D, q, u)
        return pin.getFrameJacobianTimeVariation(M, D, their_tool, world)

    def velocity(q, u, _):
        pin.forwardKinematics(M, D, q, u)
        return pin.getFrameVelocity(M, D, their_tool, world).vector

    def acceleration(q, u, a):
        pin.forwardKinematics(M, D, q, u, a)
        return pin.getFrameClassicalAcceleration(M, D, their_tool, world).vector

    def derivatives_of(d):
        return [d.q, d.v, d.a if hasattr(d, "a") else d.tau]

    def their_terms(q, u, _):
        pin.computeAllTerms(M, D, q, u)
        return [D.M.copy(), D.nle.copy(), D.g.copy(), D.J.copy(), D.Ag.copy(), D.com[0].copy(), D.vcom[0].copy(), D.kinetic_energy,
                D.potential_energy]

    def terms_of(t):
        return [t.mass_matrix, t.bias_forces, t.gravity_forces, t.columns, t.centroidal_map, t.centre_of_mass, t.centre_of_mass_velocity,
                t.kinetic_energy, t.potential_energy]

    def terms_ours(t):
        return [square(t[0]), v(t[1]), v(t[2]), columns(t[3]), columns(t[4]), *t[5:]]

    yield "poses of all links", lambda q, u, a: zw.frame_poses(m, q, links), all_frames, same, same
    yield ("poses of all links, in its data", lambda q, u, a: zw.frame_poses(m, q, links),
           lambda q, u, a: pin.framesForwardKinematics(M, D, q), None, None)
    yield "pose of a frame", lambda q, u, a: zw.frame_pose(m, q, tool), one_frame, same, same
    yield ("Jacobian of a frame", lambda q, u, a: zw.jacobian(m, q, tool),
           lambda q, u, a: pin.computeFrameJacobian(M, D, q, their_tool, world), columns, same)
    yield "its time derivative", lambda q, u, a: zw.jacobian_dot(m, q, u, tool), jacobian_dot, columns, same
    yield "velocity of a frame", lambda q, u, a: zw.frame_velocity(m, q, u, tool), velocity, same, same
    yield "acceleration of a frame", lambda q, u, a: zw.frame_acceleration(m, q, u, a, tool), acceleration, same, same
    yield "mass matrix", lambda q, u, a: zw.mass_matrix(m, q), lambda q, u, a: pin.crba(M, D, q), square, same
    yield ("its inverse", lambda q, u, a: zw.mass_matrix_inverse(m, q), lambda q, u, a: pin.computeMinverse(M, D, q), square, same)
    yield "inverse dynamics", lambda q, u, a: zw.inverse_dynamics(m, q, u, a), lambda q, u, a: pin.rnea(M, D, q, u, a), v, same
    yield "forward dynamics", lambda q, u, a: zw.forward_dynamics(m, q, u, a), lambda q, u, a: pin.aba(M, D, q, u, a), v, same
    yield "bias forces", lambda q, u, a: zw.bias_forces(m, q, u), lambda q, u, a: pin.nonLinearEffects(M, D, q, u), v, same
    yield "gravity", lambda q, u, a: zw.gravity_forces(m, q), lambda q, u, a: pin.computeGeneralizedGravity(M, D, q), v, same
    yield ("Coriolis matrix", lambda q, u, a: zw.coriolis_matrix(m, q, u), lambda q, u, a: pin.computeCoriolisMatrix(M, D, q, u),
           square, same)
    yield ("derivatives of inverse dynamics", lambda q, u, a: zw.inverse_dynamics_derivatives(m, q, u, a),
           lambda q, u, a: [x.copy() for x in pin.computeRNEADerivatives(M, D, q, u, a)], lambda d: [square(x) for x in d], derivatives_of)
    yield ("the same, in its data", lambda q, u, a: zw.inverse_dynamics_derivatives(m, q, u, a),
           lambda q, u, a: pin.computeRNEADerivatives(M, D, q, u, a), None, None)
    yield ("derivatives of forward dynamics", lambda q, u, a: zw.forward_dynamics_derivatives(m, q, u, a),
           lambda q, u, a: [x.copy() for x in pin.computeABADerivatives(M, D, q, u, a)], lambda d: [square(x) for x in d], derivatives_of)
    yield ("the same, in its data", lambda q, u, a: zw.forward_dynamics_derivatives(m, q, u, a),
           lambda q, u, a: pin.computeABADerivatives(M, D, q, u, a), None, None)
    yield "centre of mass", lambda q, u, a: zw.centre_of_mass(m, q), lambda q, u, a: pin.centerOfMass(M, D, q), same, same
    yield ("its Jacobian", lambda q, u, a: zw.centre_of_mass_jacobian(m, q), lambda q, u, a: pin.jacobianCenterOfMass(M, D, q),
           columns, same)
    yield "centroidal map", lambda q, u, a: zw.centroidal_map(m, q), lambda q, u, a: pin.computeCentroidalMap(M, D, q), columns, same
    yield ("centroidal momentum", lambda q, u, a: zw.centroidal_momentum(m, q, u),
           lambda q, u, a: pin.computeCentroidalMomentum(M, D, q, u).vector, same, same)
    yield ("kinetic energy", lambda q, u, a: zw.kinetic_energy(m, q, u), lambda q, u, a: pin.computeKineticEnergy(M, D, q, u), same, same)
    yield ("potential energy", lambda q, u, a: zw.potential_energy(m, q), lambda q, u, a: pin.computePotentialEnergy(M, D, q), same, same)
    yield ("regressor", lambda q, u, a: zw.inverse_dynamics_regressor(p.merged[0], q, u, a),
           lambda q, u, a: pin.computeJointTorqueRegressor(M, D, q, u, a), v, p.regressor)
    yield "all terms", lambda q, u, a: zw.all_terms(m, q, u), their_terms, terms_ours, terms_of


def difference(ours, theirs):
    pairs = zip(ours, theirs) if isinstance(ours, list) else [(ours, theirs)]
    return max(float(np.max(np.abs(np.asarray(x) - y))) / max(1.0, float(np.max(np.abs(y)))) for x, y in pairs)


def seconds(function, states, repeats):
    begin = time.perf_counter()
    for _ in itertools.repeat(None, repeats):
        for state in states:
            function(*state)
    return (time.perf_counter() - begin) / (repeats * len(states))


def measured(pair, rounds, repeats):
    ours, theirs = [s for s, _ in pair.states], [s for _, s in pair.states]
    for name, own, other, as_ours, as_theirs in calls(pair):
        worst = None
        if as_ours is not None:
            worst = max(difference(as_theirs(own(*x)), as_ours(other(*y))) for x, y in zip(ours[:8], theirs))
        best = [np.inf, np.inf]
        for k in range(rounds):
            for which in ((0, 1), (1, 0))[k % 2]:
                best[which] = min(best[which], seconds((own, other)[which], (ours, theirs)[which], repeats))
        yield {"call": name, "zwang": best[0] * 1e6, "pin": best[1] * 1e6, "difference": worst}


def robots(given):
    if given:
        return [pathlib.Path(x) for x in given]
    found = []
    for name, instead in (("talos_reduced", "humanoid"), ("panda", "arm7")):
        path = ROOT.parent / f"shared/robots/{name}.urdf"
        if not path.exists():
            print(f"{path} is not there: models/{instead}.urdf instead", file=sys.stderr)
            path = ROOT / f"models/{instead}.urdf"
        found.append(path)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("robots", nargs="*", help="URDF files")
    parser.add_argument("--root", choices=["fixed", "floating"], help="root joint; by default floating where the name has talos or humanoid")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--smoke", action="store_true", help="one short round")
    options = parser.parse_args()
    try:
        import pinocchio
    except ImportError as error:
        print(f"skipped: {error}; to install it: pip install pin", file=sys.stderr)
        return
    tables = {}
    for path in robots(options.robots):
        legs = "talos" in path.stem or "humanoid" in path.stem
        pair = Pair(path, options.root or ("floating" if legs else "fixed"))
        rows = tables[path.stem] = []
        if not options.json:
            print(f"\n{path.stem}: nv {pair.model.nv}, zwang {zw.__version__}, pinocchio {pinocchio.__version__}")
            print(f"{'us a call':34}{'zwang':>9}{'pin':>9}{'ratio':>8}  difference")
        for row in measured(pair, 1 if options.smoke else options.rounds, 1 if options.smoke else 4):
            rows.append(row)
            if not options.json:
                worst = "" if row["difference"] is None else f"{row['difference']:.0e}"
                print(f"{row['call']:34}{row['zwang']:9.2f}{row['pin']:9.2f}{row['pin'] / row['zwang']:8.2f}  {worst}", flush=True)
    if options.json:
        print(json.dumps(tables, indent=1))


if __name__ == "__main__":
    main()
