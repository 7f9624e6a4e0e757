# SPDX-License-Identifier: BSD-3-Clause
"""zwang.pinocchio: displacements, twists, wrenches, inertias, exponentials, quaternions, roll-pitch-yaw."""
import copy
import pickle

import numpy as np
import pytest
import zwang.pinocchio as pin
from conftest import EPS
from nearness import nearness

TIGHT = 200 * EPS  # a few products of matrices of entries near 1


@pytest.fixture(autouse=True)
def same_numbers():
    pin.seed(7)


near = nearness(TIGHT)


def series(A):
    """The exponential of a matrix by its power series, halved until it converges fast."""
    B, out, term = A / 2.0**10, np.eye(len(A)), np.eye(len(A))
    for k in range(1, 14):
        term = term @ B / k
        out = out + term
    for _ in range(10):
        out = out @ out
    return out


def test_displacements_compose_as_their_matrices_do():
    A, B = pin.SE3.Random(), pin.SE3.Random()
    near((A * B).homogeneous, A.homogeneous @ B.homogeneous)
    near(A.inverse().homogeneous, np.linalg.inv(A.homogeneous))
    near(A.actInv(B), A.inverse() * B)
    near((A * B).action, A.action @ B.action)
    near(A.actionInverse, np.linalg.inv(A.action))
    near(A.dualAction, np.linalg.inv(A.action).T)
    assert A != B and A == A.copy() and A.isApprox(A * pin.SE3.Identity()) and not A.isIdentity()


def test_points_twists_wrenches_and_bodies_are_carried_along():
    M, x, v, f, Y = pin.SE3.Random(), np.array([1.0, 2, 3]), pin.Motion.Random(), pin.Force.Random(), pin.Inertia.Random()
    near(M * x, (M.homogeneous @ [*x, 1])[:3])
    near(M.act(np.stack([x, 2 * x], axis=1))[:, 1], M.act(2 * x))
    near(M.act(v), M.action @ v.vector)
    near(M.act(f), M.dualAction @ f.vector)
    near(M.actInv(M.act(f)), f)
    assert np.isclose(M.act(v).dot(M.act(f)), v.dot(f), rtol=TIGHT)
    near(M.act(Y).matrix(), M.dualAction @ Y.matrix() @ np.linalg.inv(M.action))
    near(M.actInv(M.act(Y)).matrix(), Y.matrix())
    near(v.se3ActionInverse(M), M.inverse().act(v))
    near(v.cross(pin.Motion(f.vector)), v.action @ f.vector)
    near((v ^ f).vector, -v.action.T @ f.vector)
    with pytest.raises(ValueError, match="expected"):
        M.act(np.zeros(4))
    with pytest.raises(TypeError):
        v + f


def test_members_write_through_and_copies_do_not():
    M = pin.SE3.Identity()
    M.translation[2] = 3
    M.rotation = pin.rpy.rotate("x", 0.5)
    assert M.homogeneous[2, 3] == 3 and M.homogeneous[2, 1] == np.sin(0.5)
    M.homogeneous[0, 3] = 9
    assert M.translation[0] == 0
    v = pin.Motion(np.arange(3.0), np.zeros((3, 1)))
    v.angular[1] = 5
    w = v.copy()
    w.linear = [7, 7, 7]
    assert v.vector.tolist() == [0, 1, 2, 0, 5, 0] and w.vector.tolist() == [7, 7, 7, 0, 5, 0]
    assert (2 * v / 4 - v).vector.tolist() == (-v / 2).vector.tolist()
    v += w
    assert v.linear.tolist() == [7, 8, 9]


@pytest.mark.parametrize("make", [pin.SE3.Random, pin.Motion.Random, pin.Force.Random, pin.Inertia.Random])
def test_what_is_pickled_or_copied_is_equal_and_its_own(make):
    x = make()
    for y in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), type(x)(x)):
        assert x == y and y.isApprox(x)
        y.setZero() if hasattr(y, "setZero") else y.setIdentity()
        assert x != y


def test_inertias_have_the_energy_of_their_points():
    """Against sums over points of mass."""
    rng = np.random.default_rng(3)
    points, masses = rng.uniform(-1, 1, (20, 3)), rng.uniform(0.1, 1, 20)
    c = masses @ points / masses.sum()
    about = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, points - c))
    Y, v = pin.Inertia(masses.sum(), c, about), pin.Motion.Random()
    speeds = v.linear + np.cross(v.angular, points)
    assert np.isclose(Y.vtiv(v), masses @ (speeds**2).sum(axis=1), rtol=TIGHT)
    near((Y * v).linear, masses @ speeds)
    near((Y * v).angular, (masses[:, None] * np.cross(points, speeds)).sum(axis=0))
    sigma = sum(m * np.outer([*r, 1], [*r, 1]) for m, r in zip(masses, points))
    near(Y.toPseudoInertia().toMatrix(), sigma)
    near(pin.Inertia.FromPseudoInertia(Y.toPseudoInertia()).matrix(), Y.matrix())
    near(pin.Inertia.FromDynamicParameters(Y.toDynamicParameters()).matrix(), Y.matrix())
    near(pin.Inertia(Y.matrix()).matrix(), Y.matrix())
    near(Y.matrix() @ Y.inverse(), np.eye(6), 1e4 * EPS)
    Z = pin.Inertia.Random()
    near((Y + Z).matrix(), Y.matrix() + Z.matrix())
    near((Y + Z - Z).matrix(), Y.matrix(), 1e4 * EPS)
    near(Y.vxiv(v), v.dualAction @ Y.matrix() @ v.vector)
    near(Y.variation(v), v.dualAction @ Y.matrix() - Y.matrix() @ v.action)


def test_shapes_have_the_inertia_of_many_points_in_them():
    n = 60
    g = (np.arange(n) + 0.5) / n * 2 - 1
    X, Y, Z = np.meshgrid(g, g, g, indexing="ij")

    def of_points(inside, scale):
        p = np.stack([X[inside], Y[inside], Z[inside]], axis=1) * scale
        return 2.0 / len(p) * np.diag([(p[:, 1]**2 + p[:, 2]**2).sum(), (p[:, 0]**2 + p[:, 2]**2).sum(), (p[:, 0]**2 + p[:, 1]**2).sum()])

    ball = X**2 + Y**2 + Z**2 < 1
    rough = 5e-3  # of a grid of 60^3 points
    near(pin.Inertia.FromEllipsoid(2, 0.5, 0.6, 0.7).inertia, of_points(ball, [0.5, 0.6, 0.7]), rough)
    near(pin.Inertia.FromBox(2, 1.0, 1.2, 1.4).inertia, of_points(np.ones_like(ball), [0.5, 0.6, 0.7]), rough)
    near(pin.Inertia.FromCylinder(2, 0.5, 1.4).inertia, of_points(X**2 + Y**2 < 1, [0.5, 0.5, 0.7]), rough)
    r, h = 0.5, 0.6  # in a cube of half length r + h / 2
    s = r + h / 2
    capsule = (s * X)**2 + (s * Y)**2 + np.maximum(np.abs(s * Z) - h / 2, 0)**2 < r**2
    near(pin.Inertia.FromCapsule(2, r, h).inertia, of_points(capsule, s), rough)


def test_log_cholesky_parameters_and_their_jacobian():
    p = pin.LogCholeskyParameters(np.linspace(-0.4, 0.5, 10))
    assert np.linalg.eigvalsh(p.toPseudoInertia().toMatrix())[0] > 0
    h, J = 1e-6, p.calculateJacobian()
    for k in range(10):
        d = h * np.eye(10)[k]
        slope = (pin.LogCholeskyParameters(p.parameters + d).toDynamicParameters()
                 - pin.LogCholeskyParameters(p.parameters - d).toDynamicParameters()) / (2 * h)
        near(J[:, k], slope, 1e-8)  # of central differences with steps of 1e-6
    near(p.toInertia().toDynamicParameters(), p.toDynamicParameters())


@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-3, 1.0, 3.1])
def test_exponentials_are_those_of_matrices_and_logarithms_undo_them(size):
    v = pin.Motion.Random()
    v.angular = size * v.angular / np.linalg.norm(v.angular)
    M = pin.exp6(v)
    near(M.homogeneous, series(v.homogeneous), 1e-13)
    near(pin.exp3(v.angular), M.rotation)
    near(pin.log6(M), v, 1e-12)  # near half a turn a logarithm loses two digits
    near(pin.log3(M.rotation), v.angular, 1e-12)
    near(pin.log(M), v, 1e-12)
    near(pin.exp(v.angular), M.rotation)
    near(pin.log6_quat(pin.exp6_quat(v)), v, 1e-12)
    theta = np.zeros(1)
    pin.log3(M.rotation, theta)
    near(theta, [size], 1e-12)


def test_their_jacobians_are_their_derivatives():
    v, d, h = pin.Motion.Random(), pin.Motion.Random(), 1e-6
    M = pin.exp6(v)
    slope = (pin.log6(M.inverse() * pin.exp6(v + h * d)) - pin.log6(M.inverse() * pin.exp6(v - h * d))) / (2 * h)
    near(pin.Jexp6(v) @ d.vector, slope.vector, 1e-8)
    near(pin.Jlog6(M) @ pin.Jexp6(v), np.eye(6), 1e-13)
    near(pin.Jlog3(M.rotation) @ pin.Jexp3(v.angular), np.eye(3), 1e-13)
    w = v.angular
    slope = (pin.log3(pin.exp3(w).T @ pin.exp3(w + h * d.linear)) - pin.log3(pin.exp3(w).T @ pin.exp3(w - h * d.linear))) / (2 * h)
    near(pin.Jexp3(w) @ d.linear, slope, 1e-8)


def test_quaternions_are_rotations():
    R, S = pin.SE3.Random().rotation, pin.SE3.Random().rotation
    for A in (R, np.diag([1.0, -1, -1]), np.diag([-1.0, 1, -1]), np.diag([-1.0, -1, 1]), np.eye(3)):
        near(pin.Quaternion(A).matrix(), A)
    a, b = pin.Quaternion(R), pin.Quaternion(S)
    near((a * b).matrix(), R @ S)
    near(a.inverse().matrix(), R.T)
    near(a * np.array([1.0, 2, 3]), R @ [1, 2, 3])
    near(a.slerp(0.25, b).matrix(), R @ pin.exp3(0.25 * pin.log3(R.T @ S)))
    assert np.isclose(a.angularDistance(b), np.linalg.norm(pin.log3(R.T @ S)))
    assert pin.Quaternion(1, 0, 0, 0) == pin.Quaternion.Identity() and pin.Quaternion(np.array([0.0, 0, 0, 1])).w == 1
    u, v = np.array([1.0, 2, 3]), np.array([-2.0, 0, 1])
    for x, y in ((u, v), (u, -u)):
        near(pin.Quaternion.FromTwoVectors(x, y) * x / np.linalg.norm(x), y / np.linalg.norm(y))
    c = pin.AngleAxis(0.3, np.array([0.0, 0, 1]))
    near(c.matrix(), pin.rpy.rotate("z", 0.3))
    near(pin.AngleAxis(R).matrix(), R, 1e-13)
    M = pin.SE3(R, u)
    near(pin.XYZQUATToSE3(pin.SE3ToXYZQUAT(M)), M)
    near(pin.SE3(a, u), M)
    near(pin.SE3.Interpolate(M, pin.SE3(S, v), 1.0), pin.SE3(S, v), 1e-13)


def test_roll_pitch_yaw_and_its_jacobians():
    rpy, rate = np.array([0.3, -0.7, 2.1]), np.array([0.5, 1.0, -0.4])
    R = pin.rpy.rpyToMatrix(rpy)
    near(R, pin.rpy.rotate("z", 2.1) @ pin.rpy.rotate("y", -0.7) @ pin.rpy.rotate("x", 0.3))
    near(pin.rpy.matrixToRpy(R), rpy)
    edge = pin.rpy.rpyToMatrix(0.2, np.pi / 2, 0.5)
    near(pin.rpy.rpyToMatrix(pin.rpy.matrixToRpy(edge)), edge, 1e-12)
    h = 1e-6
    dR = (pin.rpy.rpyToMatrix(rpy + h * rate) - pin.rpy.rpyToMatrix(rpy - h * rate)) / (2 * h)
    for frame, spin in ((pin.LOCAL, R.T @ dR), (pin.WORLD, dR @ R.T), (pin.LOCAL_WORLD_ALIGNED, dR @ R.T)):
        near(pin.rpy.computeRpyJacobian(rpy, frame) @ rate, pin.unSkew(spin), 1e-9)
        near(pin.rpy.computeRpyJacobianInverse(rpy, frame) @ pin.rpy.computeRpyJacobian(rpy, frame), np.eye(3))
        slope = (pin.rpy.computeRpyJacobian(rpy + h * rate, frame) - pin.rpy.computeRpyJacobian(rpy - h * rate, frame)) / (2 * h)
        near(pin.rpy.computeRpyJacobianTimeDerivative(rpy, rate, frame), slope, 1e-9)
    with pytest.raises(ValueError, match="'x', 'y' or 'z'"):
        pin.rpy.rotate("w", 1)


def test_arguments_by_name():
    R, p = pin.SE3.Random().rotation, np.array([1.0, 2, 3])
    assert pin.SE3(translation=p, rotation=R) == pin.SE3(R, p) == pin.SE3(R, translation=p)
    assert pin.Motion(angular=p, linear=2 * p) == pin.Motion(2 * p, p)
    assert pin.Inertia(1.0, inertia=np.eye(3), lever=p) == pin.Inertia(1.0, p, np.eye(3))
    f = pin.Frame("f", 0, type=pin.BODY, placement=pin.SE3(R, p))
    assert f == pin.Frame("f", 0, pin.SE3(R, p), pin.BODY) and pin.Frame("f", 0, parent_frame=2, placement=pin.SE3(), type=pin.BODY).parentFrame == 2
    with pytest.raises(TypeError, match="there is no argument 'position'"):
        pin.SE3(position=p, rotation=R)


def test_small_helpers():
    near(pin.skew([1, 2, 3]) @ [4, 5, 6], np.cross([1, 2, 3], [4, 5, 6]))
    near(pin.unSkew(pin.skew([1, 2, 3])), np.array([1.0, 2, 3]))
    near(pin.skewSquare([1, 2, 3], [4, 5, 6]), pin.skew([1, 2, 3]) @ pin.skew([4, 5, 6]))
    assert pin.utils.npToTuple(np.array([[1.0], [2.0]])) == (1.0, 2.0) and pin.utils.npToTuple(np.eye(2)) == ((1, 0), (0, 1))
    assert pin.utils.isapprox(pin.SE3.Identity(), np.eye(4)) and not pin.utils.isapprox(1.0, 2.0)
    assert pin.utils.zero(3).shape == (3,) and pin.utils.eye(2).shape == (2, 2) and 0 <= pin.utils.rand(4).min()
    v, a = pin.Motion.Random(), pin.Motion.Random()
    near(pin.classicAcceleration(v, a), a.linear + np.cross(v.angular, v.linear))
    pin.seed(3)
    first = pin.SE3.Random()
    pin.seed(3)
    assert pin.SE3.Random() == first
