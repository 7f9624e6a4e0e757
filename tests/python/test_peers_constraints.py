# SPDX-License-Identifier: BSD-3-Clause
"""Loops and contacts against Pinocchio, where it can be imported, on all shared robots. Opt-in: ZWANG_PEERS=1.

States are consistent: frames that a loop joins coincide and nothing moves along a row. There Pinocchio's 6D and 3D rows
(RigidConstraintModel) ask for the same accelerations as zwang's; elsewhere its rows are not derivatives of an error.
"""
import numpy as np
import pytest
import zwang as zw
from test_peers import files  # skips this file too where ZWANG_PEERS is not set
from zwang._peer_pinocchio import Pinocchio
from zwang.peers import Refused

pin = pytest.importorskip("pinocchio")

TOLERANCE = 1e-9
EFFECTS = zw.JointEffects(damping=False, springs=False)
URDFS = [p for p in files() if p.suffix == ".urdf"]


class Pair:
    """A robot in both libraries, with frames added to zwang's where rows are to act."""

    def __init__(self, path, root):
        self.text = path.read_text(encoding="utf-8")
        self.options = {"root": root, "expand_mimic": True, "resolve_meshes": False}
        self.model = zw.loads(self.text, **self.options)
        try:
            peer = Pinocchio(self.text, root, np.array(self.model.gravity), False)
        except Refused as error:
            pytest.skip(f"Pinocchio refuses it: {error}")
        if peer.robot.nv != self.model.nv:
            pytest.skip("Pinocchio has other joints")
        peer.attach(self.model)
        self.peer, self.iv, self.configuration = peer.robot, peer.at_v, peer.to_peer
        self.peer.armature = self.model.armature[self.iv]

    def with_frames(self, frames):
        """zwang's model with frames (name, link, pose) added as links without mass."""
        extra = ""
        for name, link, pose in frames:
            rpy = pin.rpy.matrixToRpy(pose[:3, :3])
            extra += (f'<link name="{name}"/><joint name="to {name}" type="fixed"><parent link="{link}"/>'
                      f'<child link="{name}"/><origin xyz="{numbers(pose[:3, 3])}" rpy="{numbers(rpy)}"/></joint>')
        return zw.loads(self.text.replace("</robot>", extra + "</robot>"), **self.options)

    def place(self, link, pose):
        """The joint that moves a link, and a pose in the link as one in this joint."""
        frame = self.peer.frames[self.peer.getFrameId(link, pin.BODY)]
        return frame.parentJoint, frame.placement * pin.SE3(pose)


def numbers(x):
    return " ".join(repr(float(e)) for e in x)


def tips(model):
    """Links at the ends of the tree that joints move, each by a joint of its own."""
    inner, found = {j.parent for j in model.joints}, {}
    for link in model.links:
        if link.name in inner or link.joint is None:
            continue
        joint = model.joint(link.joint)
        while joint is not None and joint.type == "fixed":
            above = model.link(joint.parent).joint
            joint = model.joint(above) if above is not None else None
        if joint is not None:
            found.setdefault(joint.name, link.name)
    return list(found.values())


def pose(r):
    out = np.eye(4)
    out[:3, :3] = pin.exp3(r.uniform(-1, 1, 3))
    out[:3, 3] = r.uniform(-0.1, 0.1, 3)
    return out


def rigid(pair, kind, *ends):
    places = [x for link, at in ends for x in pair.place(link, at)]
    frame = pin.LOCAL if len(ends) == 2 else pin.LOCAL_WORLD_ALIGNED
    c = pin.RigidConstraintModel(kind, pair.peer, *places, frame)
    c.m_baumgarte_parameters.Kp = c.m_baumgarte_parameters.Kd = 0.0
    return c


def imposed(pair, what, q):
    """Frames, zwang's rows as (type, frames ...) and Pinocchio's for one of the kinds of sets below."""
    r, ends = np.random.default_rng(5), tips(pair.model)
    a, b = ends[0], ends[len(ends) // 2] if len(ends) > 1 else pair.model.links[1].name
    frames, rows, peers = [], [], []
    if "contacts" in what:
        for k, link in enumerate(ends[1:5] if "loop" in what else ends[:4]):
            at = pose(r)
            frames.append((f"contact {k}", link, at))
            rows.append(("contact", f"contact {k}"))
            peers.append(rigid(pair, pin.ContactType.CONTACT_3D, (link, at)))
    if what == "held":
        at = pose(r)
        frames.append(("hand", a, at))
        rows.append(("frame", "hand"))
        peers.append(rigid(pair, pin.ContactType.CONTACT_6D, (a, at)))
    if "loop" in what:
        if a == b:
            pytest.skip("one body has no loop")
        at = pose(r)  # frames that coincide at q
        there = np.linalg.inv(zw.frame_pose(pair.model, q, b)) @ zw.frame_pose(pair.model, q, a) @ at
        frames += [("loop a", a, at), ("loop b", b, there)]
        rows.append(("ball" if "ball" in what else "weld", "loop a", "loop b"))
        kind = pin.ContactType.CONTACT_3D if "ball" in what else pin.ContactType.CONTACT_6D
        peers.append(rigid(pair, kind, (a, at), (b, there)))
    return frames, rows, peers


def bound(model, rows, q):
    """zwang's set, and its Jacobian where loops are closed."""
    rows_of, J = zw.ConstraintSet(model), []
    for kind, *of in rows:
        if kind == "contact":
            rows_of.add_contact(of[0], of[0], tangent=(1, 0, 0))
            J.append(zw.jacobian(model, q, of[0], "local_world_aligned")[:3])
        elif kind == "frame":
            rows_of.add_frame(of[0], of[0])
            J.append(zw.jacobian(model, q, of[0], "local_world_aligned"))
        else:  # the two frames are one: the difference of their motions
            rows_of.add_loop("loop", tuple(of), {"joint": kind})
            J.append(zw.jacobian(model, q, of[1], "local") - zw.jacobian(model, q, of[0], "local"))
            J[-1] = J[-1][:3 if kind == "ball" else 6]
    return rows_of, np.vstack(J)


@pytest.mark.parametrize("root", ["fixed", "floating"])
@pytest.mark.parametrize("path", URDFS, ids=lambda p: p.stem)
@pytest.mark.parametrize("what", ["contacts", "held", "loop", "ball loop", "loop and contacts"])
def test_pinocchio_moves_the_same_under_constraints(path, root, what):
    pair, r = Pair(path, root), np.random.default_rng(6)
    q = pair.model.random(7)
    frames, rows, peers = imposed(pair, what, q)
    model = pair.with_frames(frames)
    rows_of, J = bound(model, rows, q)
    singular = np.linalg.svd(J, compute_uv=False)
    if ((singular > 1e-9 * singular[0]) & (singular < 1e-3 * singular[0])).any():
        pytest.skip("near a singular configuration")
    v, tau = r.uniform(-1, 1, model.nv), r.uniform(-10, 10, model.nv)
    v -= np.linalg.pinv(J, rcond=1e-8) @ (J @ v)
    ours = zw.Solver(model, rows_of).solve(q, v, tau, joint_effects=EFFECTS)
    assert ours.status == zw.Status.ok, ours.report

    data = pair.peer.createData()
    datas = [c.createData() for c in peers]
    pin.initConstraintDynamics(pair.peer, data, peers, datas)
    # Dependent rows need more steps; each divides what is missing by about Lambda / mu.
    settings = pin.ProximalSettings(1e-15, 1e-15, 1e-9, 200)
    theirs = pin.constraintDynamics(pair.peer, data, pair.configuration(q), v[pair.iv], tau[pair.iv], peers, datas,
                                    settings)
    M = zw.mass_matrix(model, q)
    # What is held still is compared with what it would do free.
    free = zw.forward_dynamics(model, q, v, tau, joint_effects=EFFECTS)
    scale = np.abs(theirs).max() + np.abs(free).max()
    # As forces where M is ill-conditioned: accelerations of grams behind tons carry the condition of M.
    size = np.abs(M).max() * scale
    error = ours.acceleration[pair.iv] - theirs
    tolerance = TOLERANCE * max(1, 1e-7 * np.linalg.cond(M))
    assert np.abs(error).max() <= tolerance * scale
    assert np.abs(M[np.ix_(pair.iv, pair.iv)] @ error).max() <= TOLERANCE * size
    if ours.report.rank == ours.report.rows:  # forces are unique, in the same axes; of a loop on the second frame
        sign = [-1 if len(of) == 2 else 1 for _, *of in rows]
        forces = np.concatenate([s * d.contact_force.vector[:c.residualSize()] for s, c, d in zip(sign, peers, datas)])
        assert np.abs(ours.multipliers - forces).max() <= 10 * tolerance * np.abs(forces).max() + 1e-9
