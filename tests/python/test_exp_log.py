# SPDX-License-Identifier: BSD-3-Clause
"""Exponential and logarithm of rotations and poses and their Jacobians: against the series of matrices, central
differences and the manifold of a free joint; one and many; what they refuse."""
import numpy as np
import pytest
import zwang as zw
from conftest import close

RNG = np.random.default_rng(11)
TWISTS = np.concatenate([RNG.uniform(-1, 1, (20, 6)), 1e-9 * RNG.uniform(-1, 1, (4, 6)), np.zeros((1, 6))])


def skew(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def series(A):
    """exp(A) by scaling and squaring: |A| / 1024 < 0.01, its 12th power is far below rounding."""
    A, term, total = A / 1024, np.eye(len(A)), np.eye(len(A))
    for k in range(1, 12):
        term = term @ A / k
        total = total + term
    for _ in range(10):
        total = total @ total
    return total


def matrix_of(twist):
    return np.block([[skew(twist[3:]), twist[:3, None]], [np.zeros((1, 4))]])


def test_exponentials_are_those_of_matrices():
    for xi in TWISTS:
        close(zw.exp_se3(xi), series(matrix_of(xi)))
        close(zw.exp_so3(xi[3:]), series(skew(xi[3:])))


def test_logarithms_undo_them():
    for xi in TWISTS:
        close(zw.log_se3(zw.exp_se3(xi)), xi)
        close(zw.log_so3(zw.exp_so3(xi[3:])), xi[3:])
    half_turn = zw.log_so3(np.diag([-1.0, 1, -1]))
    close(np.abs(half_turn), [0, np.pi, 0])


@pytest.mark.parametrize("part", [slice(3, 6), slice(0, 6)])
def test_jacobians_are_their_derivatives(part):
    exp, log = (zw.exp_so3, zw.log_so3) if part.start == 3 else (zw.exp_se3, zw.log_se3)
    h = 1e-6  # central differences: h^2 of the third derivative, and eps / h: 1e-9
    for xi in TWISTS:
        x = xi[part]
        n, inverse = len(x), np.linalg.inv(exp(x))
        right = np.stack([(log(inverse @ exp(x + h * e)) - log(inverse @ exp(x - h * e))) / (2 * h) for e in np.eye(n)], 1)
        left = np.stack([(log(exp(x + h * e) @ inverse) - log(exp(x - h * e) @ inverse)) / (2 * h) for e in np.eye(n)], 1)
        assert np.abs(zw.right_jacobian(x) - right).max() < 1e-8
        assert np.abs(zw.left_jacobian(x) - left).max() < 1e-8
        close(zw.right_jacobian_inverse(x) @ zw.right_jacobian(x), np.eye(n))
        close(zw.left_jacobian_inverse(x) @ zw.left_jacobian(x), np.eye(n))


def test_a_free_joint_integrates_by_them():
    model = zw.random_robot(3, joints=1, types=["fixed"], base="floating")
    q, frame = model.random(2), model.joint(model.joint_names[0]).child
    for xi in TWISTS:
        moved = zw.frame_pose(model, zw.integrate(model, q, xi), frame)
        close(moved, zw.frame_pose(model, q, frame) @ zw.exp_se3(xi), scale=10)


def test_the_error_of_a_pose_has_this_derivative(arm):
    q, wanted = arm.random(1), zw.exp_se3([0.3, -0.2, 0.5, 0.4, 0.1, -0.6])
    error = lambda x: zw.log_se3(np.linalg.inv(wanted) @ zw.frame_pose(arm, x, "tool0"))
    J, h = zw.right_jacobian_inverse(error(q)) @ zw.jacobian(arm, q, "tool0", "local"), 1e-6
    by_q = np.stack([(error(q + h * e) - error(q - h * e)) / (2 * h) for e in np.eye(arm.nv)], 1)
    assert np.abs(J - by_q).max() < 1e-7 * (1 + np.abs(J).max())


def test_many_are_each_alone():
    poses, rotations = zw.exp_se3(TWISTS), zw.exp_so3(TWISTS[:, 3:])
    assert poses.shape == (len(TWISTS), 4, 4) and rotations.shape == (len(TWISTS), 3, 3)
    for name, many, each in [("exp_se3", TWISTS, (4, 4)), ("exp_so3", TWISTS[:, 3:], (3, 3)), ("log_se3", poses, (6,)),
                             ("log_so3", rotations, (3,)), ("left_jacobian", TWISTS, (6, 6)),
                             ("right_jacobian", TWISTS[:, :3], (3, 3)), ("left_jacobian_inverse", TWISTS, (6, 6)),
                             ("right_jacobian_inverse", TWISTS, (6, 6))]:
        f = getattr(zw, name)
        assert f(many).shape == (len(many), *each)
        assert np.array_equal(f(many), np.stack([f(x) for x in many]))
        assert np.array_equal(f(many.tolist()), f(many))
        assert f(many[:0]).shape == (0, *each)


def test_refusals_name_what_is_wrong():
    for f in (zw.exp_se3, zw.log_se3, zw.exp_so3, zw.log_so3, zw.left_jacobian, zw.right_jacobian_inverse):
        for bad in (np.zeros(4), np.zeros((2, 5)), "three", None, 1.0, [[1.0, 2.0, 3.0], [1.0]]):
            with pytest.raises(ValueError, match=f.__name__):
                f(bad)
    with pytest.raises(ValueError, match="twist"):
        zw.exp_se3([0, 0, 0, 0, np.nan, 0])
    with pytest.raises(ValueError, match="no rotation"):
        zw.log_so3(2 * np.eye(3))
    with pytest.raises(ValueError, match="no rotation"):
        zw.log_so3(np.diag([1.0, 1, -1]))  # a reflection
    with pytest.raises(ValueError, match="last row"):
        zw.log_se3(np.diag([1.0, 1, 1, 2]))
    with pytest.raises(ArithmeticError):
        zw.exp_se3([1e308, 0, 0, 0, 0, 1e308])
