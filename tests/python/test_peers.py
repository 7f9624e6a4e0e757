# SPDX-License-Identifier: BSD-3-Clause
"""Against Pinocchio and PyKDL, where they can be imported, on all shared robots. Opt-in: ZWANG_PEERS=1.

Other libraries order joints and coordinates in their own way: layout(names) leads there.
"""
import os
import pathlib

import numpy as np
import pytest
import zwang as zw
from conftest import ROOT, SHARED, State

TOLERANCE = 1e-10  # relative to the largest entry

if not os.environ.get("ZWANG_PEERS"):
    pytest.skip("comparison with other libraries is opt-in: ZWANG_PEERS=1", allow_module_level=True)


def files():
    shared = sorted(SHARED.rglob("*.urdf")) if SHARED.is_dir() else []
    return shared + sorted((ROOT / "models").glob("*.urdf"))


def near(got, expected, scale=None):
    scale = 1 + (np.abs(expected).max(initial=0) if scale is None else scale)
    assert np.abs(got - expected).max(initial=0) <= TOLERANCE * scale


@pytest.mark.parametrize("path", files(), ids=lambda p: p.stem)
def test_pinocchio_agrees(path):
    pin = pytest.importorskip("pinocchio")
    try:
        m = zw.load(path, root="fixed", expand_mimic=True, resolve_meshes=False)
    except zw.ModelError:
        pytest.skip("refused")
    try:
        peer = pin.buildModelFromUrdf(str(path))
    except (RuntimeError, ValueError) as error:
        pytest.skip(f"Pinocchio refuses it: {error}")
    names = list(peer.names)[1:]
    if peer.nv != m.nv or any(m.joint(j).type not in ("revolute", "prismatic", "continuous", "revolute_unbounded") for j in names):
        pytest.skip("Pinocchio has other joints")
    data = peer.createData()
    iq, iv = m.layout(names)
    s, effects = State(m), zw.JointEffects(damping=False, springs=False)
    v, a = s.v[iv], s.a[iv]
    q = np.concatenate([[np.cos(x), np.sin(x)] if joint.nq == 2 else [x] for x, joint in zip(s.q[iq], list(peer.joints)[1:])])
    peer.armature[:] = m.armature[iv]
    tau = zw.inverse_dynamics(m, s.q, s.v, s.a, joint_effects=effects)
    near(tau[iv], pin.rnea(peer, data, q, v, a))
    M = zw.mass_matrix(m, s.q)
    near(M[np.ix_(iv, iv)], pin.crba(peer, data, q))
    free = zw.forward_dynamics(m, s.q, s.v, tau, joint_effects=effects)
    near(free[iv], pin.aba(peer, data, q, v, tau[iv]), scale=np.linalg.cond(M) * 10)
    pin.computeJointJacobiansTimeVariation(peer, data, q, v)
    pin.framesForwardKinematics(peer, data, q)
    words = {"local": pin.LOCAL, "world": pin.WORLD, "local_world_aligned": pin.LOCAL_WORLD_ALIGNED}
    for link in m.link_names:
        if not peer.existFrame(link):
            continue
        frame = peer.getFrameId(link)
        near(zw.frame_pose(m, s.q, link), data.oMf[frame].homogeneous)
        for word, reference in words.items():
            near(zw.jacobian(m, s.q, link, word)[:, iv], pin.getFrameJacobian(peer, data, frame, reference))
            if word != "local_world_aligned":  # there Pinocchio leaves out that the origin moves
                near(zw.jacobian_dot(m, s.q, s.v, link, word)[:, iv],
                     pin.getFrameJacobianTimeVariation(peer, data, frame, reference))


@pytest.mark.parametrize("path", files(), ids=lambda p: p.stem)
def test_kdl_agrees_on_the_longest_chain(path):
    kdl = pytest.importorskip("PyKDL")
    try:
        m = zw.load(path, resolve_meshes=False)
    except zw.ModelError:
        pytest.skip("refused")
    joints = []
    link = max(m.links, key=lambda x: depth(m, x))
    while link.joint is not None:
        joints.insert(0, m.joint(link.joint))
        link = m.link(joints[0].parent) if joints[0].parent else link
        if joints[0].parent is None:
            break
    if any(j.mimic or j.type not in ("revolute", "prismatic", "fixed") for j in joints) or not joints:
        pytest.skip("joints that KDL does not have")
    chain = kdl.Chain()
    for j in joints:
        chain.addSegment(segment(kdl, m, j))
    moving = [j for j in joints if j.type != "fixed"]
    s = State(m)
    q = kdl.JntArray(len(moving))
    for k, j in enumerate(moving):
        q[k] = float(s.q[j.q][0])
    solver, frame = kdl.ChainFkSolverPos_recursive(chain), kdl.Frame()
    solver.JntToCart(q, frame)
    base = zw.frame_pose(m, s.q, joints[0].parent) if joints[0].parent else np.eye(4)
    expected = np.eye(4)
    expected[:3, :3] = [[frame.M[i, k] for k in range(3)] for i in range(3)]
    expected[:3, 3] = list(frame.p)
    near(zw.frame_pose(m, s.q, joints[-1].child), base @ expected)
    jacobian = kdl.Jacobian(len(moving))
    kdl.ChainJntToJacSolver(chain).JntToJac(q, jacobian)
    J = zw.jacobian(m, s.q, joints[-1].child)[:, [j.v.start for j in moving]]
    R = np.kron(np.eye(2), base[:3, :3])
    near(J, R @ np.array([[jacobian[i, k] for k in range(len(moving))] for i in range(6)]).reshape(6, len(moving)))


def depth(m, link):
    n = 0
    while link.parent is not None:
        link, n = m.link(link.parent), n + 1
    return n


def segment(kdl, m, j):
    X = j.origin
    rotation, position = kdl.Rotation(*X[:3, :3].flatten()), kdl.Vector(*X[:3, 3])
    axis = rotation * kdl.Vector(*j.axis)
    kind = {"revolute": kdl.Joint.RotAxis, "prismatic": kdl.Joint.TransAxis}.get(j.type)
    joint = kdl.Joint(j.name) if kind is None else kdl.Joint(j.name, position, axis, kind)
    return kdl.Segment(j.child, joint, kdl.Frame(rotation, position))


assert isinstance(SHARED, pathlib.Path)
