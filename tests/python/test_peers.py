# SPDX-License-Identifier: BSD-3-Clause
"""Against Pinocchio and PyKDL, where they can be imported, on all shared robots. Opt-in: ZWANG_PEERS=1.

Other libraries order joints and coordinates in their own way: layout(names) leads there.
"""
import os
import pathlib

import numpy as np
import pytest
import zwang as zw
from conftest import EPS, ROOT, SHARED, State
from zwang._peer_pinocchio import Pinocchio
from zwang.peers import Refused

TOLERANCE = 1e-10  # relative to the largest entry

if not os.environ.get("ZWANG_PEERS"):
    pytest.skip("comparison with other libraries is opt-in: ZWANG_PEERS=1", allow_module_level=True)


def files():
    shared = [p for p in sorted(SHARED.rglob("*")) if p.suffix in (".urdf", ".sdf", ".xml")] if SHARED.is_dir() else []
    trees = [p for p in sorted((ROOT / "models").glob("*.urdf")) if p.stem != "five_bar"]  # loops: none of them reads such a file
    return shared + trees


def load(path, rotors=False, **options):
    """With mimicking joints free, as the other libraries have them; with rotors, a motor of its own on every joint."""
    try:
        m = zw.load(path, expand_mimic=True, resolve_meshes=False, **options)
        if rotors:
            moving = [j for j in m.joints if j.type in KDL_JOINTS and j.type != "fixed"]
            motors = "".join(MOTOR.format(j.name, 0.01 * (1 + k % 5)) for k, j in enumerate(moving))
            text = path.read_text(encoding="utf-8").replace("</robot>", motors + "</robot>")
            m = zw.loads(text, expand_mimic=True, resolve_meshes=False, **options)
        return m
    except zw.ModelError as error:
        pytest.skip(f"zwang refuses it: {str(error).splitlines()[0]}")


MOTOR = """<transmission name="motor of {0}"><type>SimpleTransmission</type><joint name="{0}"/>
<actuator name="motor of {0}"><drake:gear_ratio value="1"/><drake:rotor_inertia value="{1}"/></actuator>
</transmission>"""


def near(got, expected, terms=0.0):
    """Within TOLERANCE of the largest entry, and 1000 roundings of terms of a given size that cancel."""
    scale = np.abs(expected).max(initial=0)
    assert np.abs(got - expected).max(initial=0) <= TOLERANCE * scale + 1e3 * EPS * terms


@pytest.mark.parametrize("root", ["fixed", "floating"])
@pytest.mark.parametrize("path", files(), ids=lambda p: p.stem)
def test_frames_of_pinocchio_move_the_same(path, root):
    """Jacobians in three axes, their rates, the velocity of the centre of mass. What verify() compares is in test_verify.py."""
    pin = pytest.importorskip("pinocchio")
    m = load(path, root=root)
    try:
        peer = Pinocchio(path.read_text(encoding="utf-8"), root, np.array(m.gravity), False)
    except Refused as error:
        pytest.skip(f"Pinocchio refuses it: {error}")
    if peer.joints() != {name: m.joint(name).v.stop - m.joint(name).v.start for name in peer.joints()} or peer.robot.nv != m.nv:
        pytest.skip("Pinocchio has other joints")
    peer.attach(m)
    s, at, robot, data = State(m), peer.at_v, peer.robot, peer.data
    q, v = peer.to_peer(s.q), s.v[at]
    pin.computeJointJacobiansTimeVariation(robot, data, q, v)
    pin.framesForwardKinematics(robot, data, q)
    words = {"local": pin.LOCAL, "world": pin.WORLD, "local_world_aligned": pin.LOCAL_WORLD_ALIGNED}
    for link in peer.links():
        frame = peer.frame_of(link)
        for word, reference in words.items():
            near(zw.jacobian(m, s.q, link, word)[:, at], pin.getFrameJacobian(robot, data, frame, reference))
            if word != "local_world_aligned":  # there Pinocchio leaves out that the origin moves
                near(zw.jacobian_dot(m, s.q, s.v, link, word)[:, at], pin.getFrameJacobianTimeVariation(robot, data, frame, reference),
                     terms=np.abs(v).max())
    pin.centerOfMass(robot, data, q, v)
    near(zw.centre_of_mass_velocity(m, s.q, s.v), np.array(data.vcom[0]))


# PyKDL (1.5.1, Debian's) solves chains only: TreeIdSolver_RNE and the other tree solvers are not in dir(PyKDL). A chain
# and the whole robot are the same mechanism once the joints beside the chain stand still: KDL's segments carry the
# links behind those joints. The root link stands still too, wherever a floating base has put it: KDL's has no inertia.
#   pose       ChainFkSolverPos_recursive
#   J          ChainJntToJacSolver: base axes, about the tip; Jacobian.changeRefPoint and changeBase lead to the others
#   J-dot      ChainJntToJacDotSolver: HYBRID, BODYFIXED and INERTIAL, as a matrix and times v
#   M, c, g    ChainDynParam: c = C(q, v) v only, a matrix C does not exist in KDL. True gravity, here in base axes
#   ID         ChainIdSolver_RNE: true gravity likewise; wrenches on the segments in tip axes, about the tip
#   FD         ChainFdSolver_RNE and ChainHdSolver_Vereshchagin are not in dir(PyKDL): the reference solves
#              M a = tau - c - g with KDL's M, c and g
#   damping    KDL stores that of a joint and its stiffness, and no solver reads them: left out in zwang by JointEffects
KDL_JOINTS = {"revolute": "RotAxis", "continuous": "RotAxis", "prismatic": "TransAxis", "fixed": "Fixed"}


@pytest.mark.parametrize("root, rotors", [("fixed", False), ("floating", False), ("fixed", True)],
                         ids=["fixed", "floating", "rotors"])
@pytest.mark.parametrize("path", files(), ids=lambda p: p.stem)
def test_kdl_agrees_on_every_chain_from_the_root_to_a_tip(path, root, rotors):
    kdl = pytest.importorskip("PyKDL")
    m = load(path, rotors, root=root)
    inner = {j.parent for j in m.joints}
    chains = [joints_to(m, link) for link in m.links if link.name not in inner]
    foreign = {j.type for joints in chains for j in joints} - set(KDL_JOINTS)
    if foreign:
        pytest.skip(f"joints that KDL does not have: {sorted(foreign)}")
    s = State(m)
    assert any([compare_chain(kdl, m, s, joints) for joints in chains])  # noqa: C419  a list: every chain is compared


def compare_chain(kdl, m, s, joints):
    """False where no joint of the chain moves: KDL then has a pose only."""
    base, chain = zw.frame_pose(m, s.q, joints[0].parent), kdl_chain(kdl, m, s, joints)
    iq, iv = m.layout([j.name for j in joints if j.type != "fixed"])
    q, pose = array(kdl, s.q[iq]), kdl.Frame()
    assert kdl.ChainFkSolverPos_recursive(chain).JntToCart(q, pose) == 0
    near(zw.frame_pose(m, s.q, joints[-1].child), base @ matrix(pose))
    if iv.size:
        compare_jacobians(kdl, m, s, joints[-1].child, iq, iv, chain, base, pose)
        compare_dynamics(kdl, m, s, joints, iq, iv, chain, base)
    return iv.size > 0


def compare_jacobians(kdl, m, s, tip, iq, iv, chain, base, pose):
    q, v = array(kdl, s.q[iq]), np.zeros(m.nv)
    v[iv] = s.v[iv]
    state = kdl.JntArrayVel(q, array(kdl, s.v[iv]))
    J, Jdot, product = kdl.Jacobian(iv.size), kdl.Jacobian(iv.size), kdl.Twist()
    solver, dot_solver = kdl.ChainJntToJacSolver(chain), kdl.ChainJntToJacDotSolver(chain)
    # X leads from KDL's base, wherever it rests, to the world.
    turned = np.kron(np.eye(2), base[:3, :3])
    moved = turned.copy()
    moved[:3, 3:] = np.cross(base[:3, 3], base[:3, :3], axisb=0, axisc=0)  # p x R w
    for word, kind, X in [("local", dot_solver.BODYFIXED, np.eye(6)), ("world", dot_solver.INERTIAL, moved),
                          ("local_world_aligned", dot_solver.HYBRID, turned)]:
        assert solver.JntToJac(q, J) == 0
        if word == "world":
            J.changeRefPoint(-1.0 * pose.p)
        if word == "local":
            J.changeBase(pose.M.Inverse())
        near(zw.jacobian(m, s.q, tip, word)[:, iv], X @ table(J))
        dot_solver.setRepresentation(kind)
        assert dot_solver.JntToJacDot(state, Jdot) == 0 and dot_solver.JntToJacDot(state, product) == 0
        got, terms = zw.jacobian_dot(m, s.q, v, tip, word), np.abs(table(J)).max() * np.abs(v).max()
        near(got[:, iv], X @ table(Jdot), terms=terms)
        near(got @ v, X @ list(product), terms=terms)


def compare_dynamics(kdl, m, s, joints, iq, iv, chain, base):
    v, a, n = np.zeros(m.nv), np.zeros(m.nv), iv.size
    v[iv], a[iv] = s.v[iv], s.a[iv]
    effects = zw.JointEffects(damping=False, springs=False)
    gravity = kdl.Vector(*(base[:3, :3].T @ m.gravity))
    q, qd, qdd, tau, c, g = (array(kdl, x) for x in (s.q[iq], v[iv], a[iv], *np.zeros((3, n))))

    wrenches = np.random.default_rng(2).uniform(-1, 1, (len(joints), 6))
    on_segments = [kdl.Wrench(kdl.Vector(*w[:3]), kdl.Vector(*w[3:])) for w in wrenches]
    assert kdl.ChainIdSolver_RNE(chain, gravity).CartToJnt(q, qd, qdd, on_segments, tau) == 0
    external = {j.child: w for j, w in zip(joints, wrenches)}
    got = zw.inverse_dynamics(m, s.q, v, a, external=external, in_="local", joint_effects=effects)
    near(got[iv], column(tau))

    M, parameters = kdl.JntSpaceInertiaMatrix(n), kdl.ChainDynParam(chain, gravity)
    assert parameters.JntToMass(q, M) == 0
    assert parameters.JntToCoriolis(q, qd, c) == 0 and parameters.JntToGravity(q, g) == 0
    M, c, g, terms = table(M), column(c), column(g), np.abs(column(tau)).max()
    near(zw.mass_matrix(m, s.q)[np.ix_(iv, iv)], M)
    # c and g may vanish, as about the upright axis of a caster: their roundings are those of torques.
    near(zw.bias_forces(m, s.q, v, joint_effects=effects, gravity=(0, 0, 0))[iv], c, terms=terms)
    near(zw.gravity_forces(m, s.q)[iv], g, terms=terms)

    a[iv] = np.linalg.solve(M, s.tau[iv] - c - g)
    drive = zw.inverse_dynamics(m, s.q, v, a, joint_effects=effects)  # keeps the joints beside the chain at rest
    drive[iv] = s.tau[iv]
    near(zw.forward_dynamics(m, s.q, v, drive, joint_effects=effects), a)


def joints_to(m, link):
    """From the root link; a floating base's own joint is left out."""
    joints = []
    while link.joint is not None and m.joint(link.joint).parent is not None:
        joints.insert(0, m.joint(link.joint))
        link = m.link(joints[0].parent)
    return joints


def kdl_chain(kdl, m, s, joints):
    carried = {name: kdl.RigidBodyInertia() for name in [joints[0].parent, *(j.child for j in joints)]}
    for link in m.links:
        host = link
        while host.name not in carried:
            host = m.link(host.parent)
        place = frame(kdl, np.linalg.inv(zw.frame_pose(m, s.q, host.name)) @ zw.frame_pose(m, s.q, link.name))
        inertia = kdl.RotationalInertia(*link.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])
        carried[host.name] += place * kdl.RigidBodyInertia(link.mass, kdl.Vector(*link.centre), inertia)
    chain = kdl.Chain()
    for j in joints:
        place, kind = frame(kdl, j.origin), getattr(kdl.Joint, KDL_JOINTS[j.type])
        joint = kdl.Joint(j.name) if j.type == "fixed" else kdl.Joint(
            j.name, place.p, place.M * kdl.Vector(*j.axis), kind, inertia=float(j.armature[0]))
        chain.addSegment(kdl.Segment(j.child, joint, place, carried[j.child]))  # inertia in tip axes, about the tip
    return chain


def frame(kdl, X):
    return kdl.Frame(kdl.Rotation(*X[:3, :3].flatten()), kdl.Vector(*X[:3, 3]))


def matrix(pose):
    return np.array([[pose[i, k] for k in range(4)] for i in range(3)] + [[0, 0, 0, 1]])


def array(kdl, x):
    result = kdl.JntArray(len(x))
    for k, value in enumerate(x):
        result[k] = float(value)
    return result


def column(x):
    return np.array([x[k] for k in range(x.rows())])


def table(x):
    return np.array([[x[i, k] for k in range(x.columns())] for i in range(x.rows())])


assert isinstance(SHARED, pathlib.Path)
