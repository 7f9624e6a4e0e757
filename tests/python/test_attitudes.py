# SPDX-License-Identifier: BSD-3-Clause
"""Rotations as quaternions and roll, pitch, yaw: products of turns about axes, ways there and back, half turns and gimbal lock,
central differences, and what they refuse."""
import numpy as np
import pytest
import zwang as zw
from conftest import close

RNG = np.random.default_rng(5)
ANGLES = np.concatenate([RNG.uniform(-3, 3, (20, 3)), [[0.3, np.pi / 2, 0], [-1, -np.pi / 2, 0], [0, 0, 0], [np.pi, 0, 0]]])
E = np.eye(3)


def turns(rpy):
    return zw.exp_so3(E[2] * rpy[2]) @ zw.exp_so3(E[1] * rpy[1]) @ zw.exp_so3(E[0] * rpy[0])


def test_rotations_of_angles_are_products_of_turns():
    for rpy in ANGLES:
        R = turns(rpy)
        close(zw.rotation_from_rpy(rpy), R)
        close(zw.rotation_from_quaternion(zw.quaternion_from_rpy(rpy)), R)
        close(zw.rotation_from_quaternion(zw.quaternion_from_rotation(R)), R)
        close(zw.rotation_from_rpy(zw.rpy_from_rotation(R)), R)  # also at gimbal lock
        assert abs(zw.rpy_from_rotation(R)[1]) <= np.pi / 2
        assert zw.quaternion_from_rotation(R)[3] >= 0 and zw.quaternion_from_rpy(rpy)[3] >= 0


def test_quaternions_near_half_turns_keep_their_digits():
    for axis in [*E, *RNG.normal(size=(20, 3))]:
        axis = axis / np.linalg.norm(axis)
        for off in (0.0, 1e-12, 1e-8, 1e-4):
            angle = np.pi - off
            q = zw.quaternion_from_rotation(zw.exp_so3(axis * angle))
            wanted = np.append(axis * np.sin(angle / 2), np.cos(angle / 2))
            close(q * np.sign(q @ wanted), wanted)


def test_the_direction_of_a_quaternion_counts_whatever_its_length():
    q = RNG.normal(size=4)
    R = zw.rotation_from_quaternion(q)
    for factor in (1e-300, 1e-3, 7, 1e300, -1):
        close(zw.rotation_from_quaternion(q * factor), R)
    close(zw.rotation_from_quaternion(5e-324 * np.array([0, 0, 0, 1])), np.eye(3))


def test_gimbal_lock_has_no_yaw():
    for sign in (1, -1):
        rpy = zw.rpy_from_rotation(zw.rotation_from_rpy([0.4, sign * np.pi / 2, 0.1]))
        close(rpy, [0.4 - sign * 0.1, sign * np.pi / 2, 0])


@pytest.mark.parametrize("axes", ["world", "local"])
def test_jacobians_are_those_of_the_rotation(axes):
    h = 1e-6  # central differences: h^2 of third derivatives and eps / h, 1e-9
    for rpy in ANGLES:
        rates, R = RNG.normal(size=3), zw.rotation_from_rpy(rpy)
        dR = (zw.rotation_from_rpy(rpy + h * rates) - zw.rotation_from_rpy(rpy - h * rates)) / (2 * h)
        W = dR @ R.T if axes == "world" else R.T @ dR
        J = zw.rpy_jacobian(rpy, in_=axes)
        assert np.abs(J @ rates - [W[2, 1], W[0, 2], W[1, 0]]).max() < 1e-8
        dJ = (zw.rpy_jacobian(rpy + h * rates, axes) - zw.rpy_jacobian(rpy - h * rates, axes)) / (2 * h)
        assert np.abs(zw.rpy_jacobian_dot(rpy, rates, in_=axes) - dJ).max() < 1e-8
        if abs(np.cos(rpy[1])) > 1e-3:
            close(zw.rpy_jacobian_inverse(rpy, in_=axes) @ J, np.eye(3))
        else:
            with pytest.raises(ValueError, match="pitch"):
                zw.rpy_jacobian_inverse(rpy, in_=axes)


def test_many_are_one_after_the_other():
    R, q = zw.rotation_from_rpy(ANGLES), zw.quaternion_from_rpy(ANGLES)
    assert R.shape == (len(ANGLES), 3, 3) and q.shape == (len(ANGLES), 4)
    for f, given in [(zw.rotation_from_rpy, ANGLES), (zw.quaternion_from_rpy, ANGLES), (zw.rpy_from_rotation, R),
                     (zw.quaternion_from_rotation, R), (zw.rotation_from_quaternion, q), (zw.rpy_jacobian, ANGLES)]:
        assert np.array_equal(f(given), np.stack([f(x) for x in given]))
        assert f(given[:0]).shape[0] == 0
    dots = zw.rpy_jacobian_dot(ANGLES, ANGLES[::-1])
    assert np.array_equal(dots[1], zw.rpy_jacobian_dot(ANGLES[1], ANGLES[-2]))


def test_what_they_refuse():
    for bad in (np.zeros(4), [0, 0, 0, np.nan], np.ones(3), "q", None):
        with pytest.raises(ValueError, match="rotation_from_quaternion"):
            zw.rotation_from_quaternion(bad)
    for f in (zw.quaternion_from_rotation, zw.rpy_from_rotation):
        for bad in (np.diag([1.0, 1, -1]), 2 * np.eye(3), np.zeros((3, 3)), np.full((3, 3), np.nan), np.eye(4)):
            with pytest.raises(ValueError, match=f.__name__):
                f(bad)
    for i in range(3):
        for j in range(3):
            off = zw.rotation_from_rpy([0.3, 1, 2])
            off[i, j] += 1e-4
            with pytest.raises(ValueError, match="no rotation"):
                zw.rpy_from_rotation(off)
    with pytest.raises(ValueError, match="expected local or world"):
        zw.rpy_jacobian(np.zeros(3), "body")
    with pytest.raises(ValueError, match="rates"):
        zw.rpy_jacobian_dot(np.zeros((2, 3)), np.zeros(3))
