# SPDX-License-Identifier: BSD-3-Clause
"""zwang.kdl: PyKDL's names, and scripts written for PyKDL. Where PyKDL is installed, the same scripts run with it and agree."""
import copy
import gc
import importlib
import pickle

import numpy as np
import pytest

kdl = pytest.importorskip("zwang.kdl", reason="this build has no KDL names")

# Every public name of PyKDL 1.5.1 with its methods.
NAMES = """
Add:
Chain: addSegment addChain getNrOfJoints getNrOfSegments getSegment __repr__
ChainDynParam: JntToCoriolis JntToMass JntToGravity
ChainFkSolverPos: JntToCart
ChainFkSolverPos_recursive:
ChainFkSolverVel: JntToCart
ChainFkSolverVel_recursive:
ChainIdSolver: CartToJnt
ChainIdSolver_RNE:
ChainIkSolverPos: CartToJnt
ChainIkSolverPos_LMA:
ChainIkSolverPos_NR:
ChainIkSolverPos_NR_JL:
ChainIkSolverVel: CartToJnt
ChainIkSolverVel_pinv:
ChainIkSolverVel_pinv_givens:
ChainIkSolverVel_pinv_nso: setWeights setOptPos setAlpha getWeights getOptPos getAlpha
ChainIkSolverVel_wdls: setWeightTS setWeightJS setLambda setEps setMaxIter getNrZeroSigmas getSigmaMin getSigma getEps getLambda
    getLambdaScaled getSVDResult
ChainJntToJacDotSolver: JntToJacDot setLockedJoints E_JAC_DOT_FAILED E_JACSOLVER_FAILED E_FKSOLVERPOS_FAILED HYBRID BODYFIXED
    INERTIAL setHybridRepresentation setBodyFixedRepresentation setInertialRepresentation setRepresentation
ChainJntToJacSolver: JntToJac setLockedJoints
Divide:
Equal:
Frame: M p __getitem__ __setitem__ __repr__ __copy__ __deepcopy__ DH_Craig1989 DH Inverse Identity Integrate __mul__ __eq__ __ne__
    __getstate__ __setstate__
FrameVel: M p value deriv __repr__ __copy__ __deepcopy__ Identity Inverse __mul__ GetFrame GetTwist __rmul__ __eq__ __ne__
    __getstate__ __setstate__
Jacobian: rows columns resize getColumn setColumn changeRefPoint changeBase changeRefFrame __getitem__ __setitem__ __repr__
JntArray: rows columns resize __getitem__ __setitem__ __repr__ __eq__
JntArrayVel: q qdot resize value deriv
JntSpaceInertiaMatrix: resize rows columns __getitem__ __setitem__ __repr__ __eq__
Joint: JointType RotAxis RotX RotY RotZ TransAxis TransX TransY TransZ Fixed pose twist JointAxis JointOrigin getName getType
    getTypeName __repr__
Multiply:
MultiplyJacobian:
RigidBodyInertia: Zero RefPoint getMass getCOG getRotationalInertia __rmul__ __add__ __mul__
Rotation: __getitem__ __setitem__ __repr__ __copy__ __deepcopy__ SetInverse Inverse Identity RotX RotY RotZ Rot Rot2 EulerZYZ RPY
    EulerZYX Quaternion DoRotX DoRotY DoRotZ GetRot GetRotAngle GetEulerZYZ GetRPY GetEulerZYX GetQuaternion UnitX UnitY UnitZ
    __mul__ __eq__ __ne__ __getstate__ __setstate__
RotationVel: R w value deriv __repr__ __copy__ __deepcopy__ UnitX UnitY UnitZ Identity Inverse DoRotX DoRotY DoRotZ RotX RotY RotZ
    Rot Rot2 __mul__ __rmul__ __eq__ __ne__ __getstate__ __setstate__
RotationalInertia: Zero __getitem__ __setitem__ __rmul__ __add__ __mul__
Segment: getFrameToTip pose twist getName getJoint getInertia setInertia
SetToZero:
SolverI: getError strError updateInternalDataStructures
Subtract:
Tree: addSegment addChain addTree getNrOfJoints getNrOfSegments getChain __repr__
Twist: vel rot __getitem__ __setitem__ __repr__ __copy__ __deepcopy__ Zero ReverseSign RefPoint __isub__ __iadd__ __mul__ __rmul__
    __truediv__ __add__ __sub__ __eq__ __ne__ __neg__ __getstate__ __setstate__
TwistVel: vel rot value deriv __repr__ __copy__ __deepcopy__ Zero ReverseSign RefPoint GetTwist GetTwistDot __isub__ __iadd__
    __mul__ __rmul__ __truediv__ __add__ __sub__ __eq__ __ne__ __neg__ __getstate__ __setstate__
Vector: x y z __getitem__ __setitem__ __repr__ ReverseSign __isub__ __iadd__ __add__ __sub__ __mul__ __rmul__ __truediv__ __eq__
    __ne__ __neg__ __copy__ __deepcopy__ Zero Norm Normalize __getstate__ __setstate__
VectorVel: p v value deriv __repr__ __copy__ __deepcopy__ Zero ReverseSign Norm __iadd__ __isub__ __add__ __sub__ __radd__
    __rsub__ __mul__ __rmul__ __truediv__ __eq__ __ne__ __neg__ __getstate__ __setstate__
Wrench: force torque __getitem__ __setitem__ __repr__ __copy__ __deepcopy__ Zero ReverseSign RefPoint __isub__ __iadd__ __mul__
    __rmul__ __truediv__ __add__ __sub__ __eq__ __ne__ __neg__ __getstate__ __setstate__
addDelta:
changeBase:
changeRefPoint:
diff:
dot:
doubleVel: t grad value deriv __repr__ __copy__ __deepcopy__ __eq__ __ne__ __neg__
"""


def names():
    entries = {}
    for line in NAMES.strip().splitlines():
        if line.startswith(" "):
            entries[last] += line.split()  # noqa: F821  the first line has no space
        else:
            last, methods = line.split(":")
            entries[last] = methods.split()
    return entries


@pytest.mark.parametrize("name", names())
def test_every_name_of_pykdl_is_there(name):
    assert hasattr(kdl, name)
    missing = [method for method in names()[name] if not hasattr(getattr(kdl, name), method)]
    assert not missing, f"{name}: {missing}"


def arm(K):
    chain = K.Chain()
    half = np.pi / 2
    for a, alpha, d in [(0, -half, 0.333), (0, half, 0), (0.0825, half, 0.316), (-0.0825, -half, 0), (0, half, 0.384), (0.088, half, 0),
                        (0, 0, 0.107)]:
        inertia = K.RigidBodyInertia(1.5, K.Vector(0.01, 0.02, 0.05), K.RotationalInertia(0.02, 0.03, 0.01))
        chain.addSegment(K.Segment(K.Joint(K.Joint.RotZ), K.Frame.DH_Craig1989(a, alpha, d, 0), inertia))
    return chain


def array(K, numbers):
    out = K.JntArray(len(numbers))
    for i, number in enumerate(numbers):
        out[i] = number
    return out


Q = [0.3, -0.4, 0.5, -1.6, 0.2, 1.4, 0.7]
QD = [0.1, 0.2, -0.3, 0.4, -0.5, 0.6, -0.7]


def geometry_script(K):
    """Numbers of a script about geometry."""
    R, v = K.Rotation.RPY(0.1, 0.2, 0.3), K.Vector(1, 2, 3)
    F = K.Frame(R, v)
    t, w = K.Twist(v, K.Vector(4, 5, 6)), K.Wrench(v, K.Vector(6, 5, 4))
    out = [*(R * v), *R.GetQuaternion(), *R.GetRPY(), *R.GetEulerZYZ(), *R.GetRot(), R.GetRotAngle()[0], *R.GetRotAngle()[1]]
    out += [*(F * t), *(F * w), *F.Inverse(t), *t.RefPoint(v), *(F * F.Inverse() * v), K.dot(t, w), K.dot(v, v), v.Norm()]
    other = K.addDelta(F, t, 0.1)
    out += [*K.diff(F, other, 0.1), other[0, 3], other[1, 1], *(v * K.Vector(0, 1, 0)), *(2 * v - v / 2 + -v)]
    moving = K.FrameVel(F, t) * K.FrameVel(K.Frame(K.Vector(0, 0, 1)))
    out += [*moving.GetTwist(), *moving.GetFrame().p]
    return out


def chain_script(K):
    """Numbers of a script about kinematics and dynamics of an arm."""
    chain, q, qd = arm(K), array(K, Q), array(K, QD)
    n, gravity = chain.getNrOfJoints(), K.Vector(0, 0, -9.81)
    F, J, v = K.Frame(), K.Jacobian(n), K.FrameVel()
    out = [K.ChainFkSolverPos_recursive(chain).JntToCart(q, F), *F.p, *F.M.GetQuaternion()]
    out += [K.ChainFkSolverVel_recursive(chain).JntToCart(K.JntArrayVel(q, qd), v), *v.GetTwist()]
    out += [K.ChainJntToJacSolver(chain).JntToJac(q, J), *(J[i, j] for i in range(6) for j in range(n))]
    twist = K.Twist()
    K.MultiplyJacobian(J, qd, twist)
    out += [*twist]
    dot = K.ChainJntToJacDotSolver(chain)
    out += [dot.JntToJacDot(K.JntArrayVel(q, qd), J), *(J[i, j] for i in range(6) for j in range(n))]
    parameters = K.ChainDynParam(chain, gravity)
    M, tau = K.JntSpaceInertiaMatrix(n), K.JntArray(n)
    out += [parameters.JntToMass(q, M), *(M[i, j] for i in range(n) for j in range(n))]
    out += [parameters.JntToCoriolis(q, qd, tau), *(tau[i] for i in range(n))]
    out += [parameters.JntToGravity(q, tau), *(tau[i] for i in range(n))]
    wrenches = [K.Wrench(K.Vector(i, 1, 2), K.Vector(0, i, 1)) for i in range(chain.getNrOfSegments())]
    out += [K.ChainIdSolver_RNE(chain, gravity).CartToJnt(q, qd, qd, wrenches, tau), *(tau[i] for i in range(n))]
    velocity = K.ChainIkSolverVel_wdls(chain)
    velocity.setLambda(0.1)
    out += [velocity.CartToJnt(q, twist, tau), *(tau[i] for i in range(n))]
    out += [K.ChainIkSolverVel_pinv(chain).CartToJnt(q, twist, tau), *(tau[i] for i in range(n))]
    return out


def pose_script(K):
    """Poses that three solvers find: distances of the tip to the goal, rounded."""
    chain, q = arm(K), array(K, Q)
    n = chain.getNrOfJoints()
    fk, velocity = K.ChainFkSolverPos_recursive(chain), K.ChainIkSolverVel_pinv(chain)
    goal, tip, near, found = K.Frame(), K.Frame(), array(K, [x + 0.05 for x in Q]), K.JntArray(n)
    fk.JntToCart(q, goal)
    out = []
    for solver in (K.ChainIkSolverPos_NR(chain, fk, velocity), K.ChainIkSolverPos_LMA(chain, 1e-7),
                   K.ChainIkSolverPos_NR_JL(chain, array(K, [-3] * n), array(K, [3] * n), fk, velocity)):
        code = solver.CartToJnt(near, goal, found)
        fk.JntToCart(found, tip)
        out += [code, K.Equal(tip, goal, 1e-5)]
    return out


SCRIPTS = [geometry_script, chain_script, pose_script]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__)
def test_scripts_run(script):
    assert np.isfinite(script(kdl)).all()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__)
def test_scripts_agree_with_pykdl(script):
    other = pytest.importorskip("PyKDL", reason="PyKDL is not installed beside this Python")
    np.testing.assert_allclose(script(kdl), script(other), rtol=1e-9, atol=1e-9)


def test_the_hybrid_solver_that_pykdl_lacks():
    chain, n, nc = arm(kdl), 7, 6
    solver = kdl.ChainHdSolver_Vereshchagin(chain, kdl.Twist(kdl.Vector(0, 0, 9.81), kdl.Vector.Zero()), nc)
    alfa, beta, qdd, constraint = kdl.Jacobian(nc), kdl.JntArray(nc), kdl.JntArray(n), kdl.JntArray(n)
    kdl.SetToZero(alfa)
    for i in range(nc):
        alfa[i, i] = 1
        beta[i] = 0.1 * i
    wrenches = [kdl.Wrench.Zero() for _ in range(n)]
    q, qd, tau = kdl.JntArray(Q), kdl.JntArray(QD), kdl.JntArray(n)
    assert solver.CartToJnt(q, qd, qdd, alfa, beta, wrenches, tau, constraint) == 0
    accelerations = [kdl.Twist() for _ in range(n + 1)]
    solver.getTransformedLinkAcceleration(accelerations)
    np.testing.assert_allclose([*accelerations[n]], [0.1 * i for i in range(nc)], atol=1e-9)
    # As a command, the motors' torques give the same motion.
    motors, again = kdl.JntArray(n), kdl.JntArray(n)
    solver.getMotorTorque(motors)
    assert kdl.ChainFdSolver_RNE(chain, kdl.Vector(0, 0, -9.81)).CartToJnt(q, qd, motors, wrenches, again) == 0
    np.testing.assert_allclose(again.data, qdd.data, rtol=1e-8, atol=1e-8)
    nu = np.zeros(nc)
    solver.getContraintForceMagnitude(nu)
    assert np.abs(nu).max() > 0 and solver.getRank() == nc


def test_trees_and_their_solvers():
    tree = kdl.Tree("base")
    for i in range(5):
        hook = "base" if i == 0 else f"s{max(0, i - 2)}"
        assert tree.addSegment(kdl.Segment(f"s{i}", kdl.Joint(f"j{i}", kdl.Joint.RotX), kdl.Frame(kdl.Vector(0, 0.1 * i, 0.5))), hook)
    assert not tree.addSegment(kdl.Segment("s9"), "nobody")
    n = tree.getNrOfJoints()
    q, tip, J = kdl.JntArray([0.1 * i for i in range(n)]), kdl.Frame(), kdl.Jacobian(n)
    assert kdl.TreeFkSolverPos_recursive(tree).JntToCart(q, tip, "s4") == 0
    assert kdl.TreeJntToJacSolver(tree).JntToJac(q, J, "s4") == 0
    chain = tree.getChain("base", "s4")
    of_chain, part = kdl.Frame(), kdl.JntArray(chain.getNrOfJoints())
    places = [int(chain.getSegment(i).getName()[1]) for i in range(chain.getNrOfSegments())]
    for i, place in enumerate(places):
        part[i] = q[place]
    assert kdl.ChainFkSolverPos_recursive(chain).JntToCart(part, of_chain) == 0
    assert kdl.Equal(tip, of_chain, 1e-12)
    with pytest.raises(ValueError, match="nobody"):
        tree.getChain("base", "nobody")


def test_paths_take_the_rotation_that_cpp_programs_give_them():
    start, end = kdl.Frame(kdl.Rotation.RotX(0.2), kdl.Vector(0, 0, 0)), kdl.Frame(kdl.Rotation.RotZ(0.7), kdl.Vector(1, 0, 0))
    turns = kdl.RotationalInterpolation_SingleAxis()
    for own, given in ((kdl.Path_Line(start, end, 0.5), kdl.Path_Line(start, end, turns, 0.5)),
                       (kdl.Path_RoundedComposite(0.1, 0.2), kdl.Path_RoundedComposite(0.1, 0.2, turns)),
                       (kdl.Path_Circle(start, end.p, kdl.Vector(0, 1, 0), end.M, 0.9, 0.5),
                        kdl.Path_Circle(start, end.p, kdl.Vector(0, 1, 0), end.M, 0.9, turns, 0.5))):
        for path in (own, given):
            if isinstance(path, kdl.Path_RoundedComposite):
                for x, y in ((0, 0), (1, 0), (1, 1)):
                    path.Add(kdl.Frame(kdl.Vector(x, y, 0)))
                path.Finish()
        assert given.PathLength() == own.PathLength()
        assert given.Pos(0.3) == own.Pos(0.3)
    turns.SetStartEnd(start.M, end.M)
    assert turns.Angle() == pytest.approx(np.arccos((np.trace(np.array([[(start.M.Inverse() * end.M)[i, j] for j in range(3)]
                                                                           for i in range(3)])) - 1) / 2))
    assert turns.Pos(turns.Angle()) == end.M


def test_trajectories():
    path = kdl.Path_RoundedComposite(0.1, 0.1)
    for point in [(0, 0, 0), (1, 0, 0), (1, 1, 0)]:
        path.Add(kdl.Frame(kdl.Vector(*point)))
    path.Finish()
    profile = kdl.VelocityProfile_Trap(0.5, 1)
    profile.SetProfile(0, path.PathLength())
    trajectory = kdl.Trajectory_Segment(path, profile)
    del path, profile
    gc.collect()
    end = trajectory.Pos(trajectory.Duration())
    assert kdl.Equal(end.p, kdl.Vector(1, 1, 0), 1e-12)
    again = kdl.Trajectory.Read(trajectory.Write())
    assert again.Duration() == pytest.approx(trajectory.Duration())
    with pytest.raises(ValueError, match="3104"):
        path = kdl.Path_RoundedComposite(0.1, 0.1)
        for point in [(0, 0, 0), (1, 0, 0), (0, 0, 0)]:
            path.Add(kdl.Frame(kdl.Vector(*point)))


@pytest.mark.parametrize("value", [
    kdl.Vector(1, 2, 3), kdl.Rotation.RPY(0.1, 0.2, 0.3), kdl.Frame(kdl.Rotation.RotX(1), kdl.Vector(1, 2, 3)),
    kdl.Twist(kdl.Vector(1, 2, 3), kdl.Vector(4, 5, 6)), kdl.Wrench(kdl.Vector(1, 2, 3), kdl.Vector(4, 5, 6)), kdl.doubleVel(1, 2),
    kdl.VectorVel(kdl.Vector(1, 2, 3), kdl.Vector(4, 5, 6)), kdl.JntArray([1, 2, 3]),
    kdl.FrameVel(kdl.Frame(kdl.Rotation.RotY(1), kdl.Vector(1, 2, 3)), kdl.Twist(kdl.Vector(1, 2, 3), kdl.Vector(4, 5, 6))),
], ids=lambda value: type(value).__name__)
def test_values_are_pickled_and_copied(value):
    for other in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value), type(value)(value)):
        assert other == value and not other != value
    if type(value).__name__ in ("Vector", "Twist", "Wrench", "Rotation", "Frame"):
        assert hash(value) == hash(copy.copy(value)) and {value: 1}[type(value)(value)] == 1
        assert hash(value) != hash(type(value)())
    else:
        with pytest.raises(TypeError):
            hash(value)
    assert repr(value)


def test_indices_are_checked():
    for value, index in [(kdl.Vector(), 3), (kdl.Twist(), 6), (kdl.Wrench(), -7), (kdl.JntArray(2), 2), (kdl.Jacobian(2), (6, 0)),
                         (kdl.Rotation(), (0, 3)), (kdl.Frame(), (0, 4)), (kdl.JntSpaceInertiaMatrix(2), (2, 0)), (kdl.Vector(), -1),
                         (kdl.Frame(), (-1, 0)), (kdl.Frame(), (3, 0)), (kdl.JntArray(2), -1), (kdl.Jacobian(2), (0, -1))]:
        with pytest.raises(IndexError):
            value[index]
        with pytest.raises(IndexError):
            value[index] = 1
    with pytest.raises(IndexError):
        arm(kdl).getSegment(7)
    with pytest.raises(IndexError):
        arm(kdl).getSegment(-1)
    with pytest.raises(ValueError):
        kdl.Add(kdl.JntArray(2), kdl.JntArray(3), kdl.JntArray(2))
    with pytest.raises(TypeError):
        kdl.Vector("x")


def test_broken_numbers_have_codes_and_errors():
    chain, out, nan = arm(kdl), kdl.JntArray(7), float("nan")
    twist = kdl.Twist(kdl.Vector(nan, 0, 0), kdl.Vector())
    assert kdl.ChainIkSolverVel_pinv(chain).CartToJnt(kdl.JntArray(Q), twist, out) == kdl.SolverI.E_UNDEFINED
    fk, velocity = kdl.ChainFkSolverPos_recursive(chain), kdl.ChainIkSolverVel_pinv(chain)
    limits = kdl.ChainIkSolverPos_NR_JL(chain, fk, velocity)
    assert limits.setJointLimits(kdl.JntArray([1] * 7), kdl.JntArray([-1] * 7)) == kdl.SolverI.E_UNDEFINED
    for broken in (lambda: kdl.VelocityProfile_Trap(0, 1).SetProfile(0, 1), lambda: kdl.Path.Read("LINE["), lambda: kdl.Path.Read("WAY[1]"),
                   lambda: kdl.VelocityProfile_Rectangular(1).Acc(0)):
        with pytest.raises(ValueError):
            broken()
    with pytest.raises(RuntimeError, match="axis"):
        kdl.Joint("a", kdl.Vector(), kdl.Vector(), kdl.Joint.RotAxis)
    with pytest.raises(IndexError):
        kdl.Path_Composite().GetLengthToEndOfSegment(0)


def test_solvers_keep_what_they_need():
    def solver():
        chain = arm(kdl)
        fk, velocity = kdl.ChainFkSolverPos_recursive(chain), kdl.ChainIkSolverVel_pinv(chain)
        return kdl.ChainIkSolverPos_NR(chain, fk, velocity)

    position = solver()
    gc.collect()
    [arm(kdl) for _ in range(100)]
    goal, found = kdl.Frame(), kdl.JntArray(7)
    kdl.ChainFkSolverPos_recursive(arm(kdl)).JntToCart(kdl.JntArray(Q), goal)
    assert position.CartToJnt(kdl.JntArray([x + 0.01 for x in Q]), goal, found) == 0


def test_arrays_are_views_of_numpy():
    q = kdl.JntArray(3)
    q.data[1] = 5
    assert q[1] == 5 and len(q) == 3
    J = kdl.Jacobian(2)
    J[4, 1] = 7
    assert J.data.shape == (6, 2) and J.data[4, 1] == 7
    view = J.data
    with pytest.raises(BufferError, match="size"):
        J.resize(9)
    del J
    gc.collect()
    assert view[4, 1] == 7
    motion = kdl.JntArrayVel(3)
    speeds = motion.qdot.data
    motion.q.resize(5)
    with pytest.raises(BufferError):
        motion.resize(7)
    with pytest.raises(BufferError):
        motion.qdot = kdl.JntArray(5)
    motion.qdot = kdl.JntArray([1, 2, 3])
    assert speeds.tolist() == [1, 2, 3]
    del speeds
    gc.collect()
    motion.qdot = kdl.JntArray(5)
    assert motion.qdot.rows() == 5
    q.resize(4)
    assert q.rows() == 4
    frames = [kdl.Frame() for _ in range(7)]
    assert kdl.ChainFkSolverPos_recursive(arm(kdl)).JntToCart(kdl.JntArray(Q), frames) == 0
    assert frames[6].p.Norm() > 0.1


def test_weights_are_arrays():
    chain = arm(kdl)
    velocity, q, out = kdl.ChainIkSolverVel_wdls(chain), kdl.JntArray(Q), kdl.JntArray(7)
    weights = np.diag(np.arange(1.0, 8))
    assert velocity.setWeightJS(weights) == 0 == velocity.setWeightTS(np.diag([1.0, 2, 3, 1, 1, 1]))
    assert velocity.setWeightTS(np.eye(3)) == kdl.SolverI.E_SIZE_MISMATCH
    twist = kdl.Twist(kdl.Vector(0.1, 0.2, 0.3), kdl.Vector(0, 0.1, 0))
    assert velocity.CartToJnt(q, twist, out) == 0
    J = kdl.Jacobian(7)
    kdl.ChainJntToJacSolver(chain).JntToJac(q, J)
    # The weights choose among the velocities that meet the twist: the shortest W^-1 qdot.
    A = J.data @ weights
    np.testing.assert_allclose(out.data, weights @ np.linalg.lstsq(A, [*twist], rcond=None)[0], atol=1e-10)


def test_codes_have_names():
    solver = kdl.ChainFkSolverPos_recursive(arm(kdl))
    assert solver.JntToCart(kdl.JntArray(2), kdl.Frame()) == kdl.SolverI.E_SIZE_MISMATCH == solver.getError()
    assert "size" in solver.strError(solver.getError())


def test_the_module_says_what_it_is():
    assert importlib.import_module("zwang.kdl").Vector is kdl.Vector


def test_a_tree_of_a_model_moves_as_the_model():
    import zwang as zw
    from conftest import ROOT
    path = ROOT / "models" / "arm7.urdf"
    arm = zw.load(path, root="fixed")
    assert np.any(arm.armature > 0)
    q, v, tau = arm.random(seed=3), np.linspace(-1, 1, 7), np.linspace(2, -2, 7)
    for source in (arm, path, str(path), path.read_text()):
        tree = kdl.tree_of(source)
        chain = tree.getChain(arm.link_names[0], "tool0")
        assert chain.getNrOfJoints() == 7 and tree.getNrOfSegments() == len(arm.link_names) - 1
        x, rate, force, mass = (kdl.JntArray(7) for _ in range(3)), None, None, kdl.JntSpaceInertiaMatrix(7)
        x, rate, force = x
        x.data[:], rate.data[:], force.data[:] = q, v, tau
        gravity = kdl.Vector(0, 0, -9.81)
        kdl.ChainDynParam(chain, gravity).JntToMass(x, mass)
        np.testing.assert_allclose(mass.data, zw.mass_matrix(arm, q), rtol=1e-12, atol=1e-12)  # rotors among it
        acceleration, none = kdl.JntArray(7), zw.JointEffects(damping=False, springs=False)
        free = zw.forward_dynamics(arm, q, v, tau, joint_effects=none)
        wrenches = [kdl.Wrench() for _ in range(chain.getNrOfSegments())]
        assert kdl.ChainFdSolver_RNE(chain, gravity).CartToJnt(x, rate, force, wrenches, acceleration) == 0
        np.testing.assert_allclose(acceleration.data, free, rtol=1e-9, atol=1e-9)
        hybrid = kdl.ChainHdSolver_Vereshchagin(chain, kdl.Twist(kdl.Vector(0, 0, 9.81), kdl.Vector()), 1)
        unit, beta, asked = kdl.Jacobian(1), kdl.JntArray(1), kdl.JntArray(7)
        unit.data[:] = 0
        assert hybrid.CartToJnt(x, rate, acceleration, unit, beta, wrenches, force, asked) == 0  # nothing is asked for
        np.testing.assert_allclose(acceleration.data, free, rtol=1e-9, atol=1e-9)
    without = zw.mass_matrix(arm, q, joint_effects=zw.JointEffects(armature=False))
    assert np.max(np.abs(mass.data - without)) > 1e-3
    back = kdl.model_of(tree)
    np.testing.assert_allclose(zw.mass_matrix(back, q), zw.mass_matrix(arm, q), rtol=1e-12, atol=1e-12)
    with pytest.raises(TypeError, match="E_ARGUMENT tree_of: argument 'robot' has type int"):
        kdl.tree_of(3)
    with pytest.raises(ValueError, match="KDL has no joint of the type planar: 'root_joint'|KDL has no joint"):
        kdl.tree_of(zw.sample("zoo"))


def test_every_class_says_what_it_is():
    from zwang import _kdl
    for name, x in vars(_kdl).items():
        if isinstance(x, type) and not hasattr(x, "__members__"):
            assert x.__doc__ and len(x.__doc__) > 10, name
    text = kdl.ChainHdSolver_Vereshchagin.__doc__
    for word in ("M qdd + h", "alfa^T", "root_acc", "(n,)", "base's axes", "E_DEGRADED"):
        assert word in text
