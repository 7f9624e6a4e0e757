# SPDX-License-Identifier: BSD-3-Clause
"""What does the arm hold? The ten inertial parameters of a tool from noisy joint torques of one motion.

Torques are linear in the parameters: tau - tau_arm = Y phi, Y the columns of the link `tool0` of the regressor. Plain
least squares gives the nearest phi, whether there is such a body or not: the small inertias drown in the noise, and one
comes out negative. A body exists where its pseudo-inertia J(phi), a 4 x 4 matrix, is positive definite (Wensing, Kim,
Slotine 2018). So the second estimate adds the distance tr(J J0^-1) - log det(J J0^-1) from a rough guess J0 (Lee,
Wensing, Park 2020), which is convex and keeps J positive definite; Newton finds the minimum. At the end the gradient of
the misfit is taken from the other side, by Solver.vjp, which forms no regressor and works under constraints, too.
"""
import pathlib
import sys
from typing import Any

import numpy as np
import zwang as zw
from numpy.typing import NDArray

Array = NDArray[Any]
MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
SAMPLES, DURATION, NOISE = 200, 8.0, 0.3  # noise of the torques [N m], one sigma
TOOL = """<link name="tool0"><inertial><origin xyz="0.01 -0.02 0.06" rpy="0.4 0 0"/><mass value="0.85"/>
  <inertia ixx="0.0021" ixy="0" ixz="0" iyy="0.0018" iyz="0" izz="0.0005"/></inertial></link>"""
NAMES = ("m", "m cx", "m cy", "m cz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")


def motion(arm: zw.Model, phase: float) -> tuple[Array, Array, Array]:
    """q, v, a: each coordinate moves by two sines about the middle of its range."""
    t, k = np.linspace(0, DURATION, SAMPLES)[:, None], np.arange(arm.nv)
    q, v, a = np.zeros((3, SAMPLES, arm.nv))
    for part, w in ((0.25, 0.9 + 0.23 * k), (0.12, 3.1 + 0.37 * k)):
        size, angle = part * (arm.upper - arm.lower) / 2, w * t + phase * k
        q, v, a = q + size * np.sin(angle), v + size * w * np.cos(angle), a - size * w**2 * np.sin(angle)
    return q + (arm.upper + arm.lower) / 2, v, a


def pseudo_inertia(phi: Array) -> Array:
    """The second moments of the mass: [tr(I)/2 1 - I, m c; m c^T, m], I about the frame's origin."""
    m, h, (xx, xy, yy, xz, yz, zz) = phi[0], phi[1:4], phi[4:]
    moments = np.diag([xx + yy + zz] * 3) / 2 - [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    return np.block([[moments, h[:, None]], [h, m]])


def physical(Y: Array, y: Array, guess: Array) -> Array:
    """Newton's method on |Y phi - y|^2 / (2 sigma^2) + tr(J J0^-1) - log det(J J0^-1), from the guess."""
    units = [pseudo_inertia(e) for e in np.eye(10)]  # J is linear in phi
    J0 = np.linalg.inv(pseudo_inertia(guess))

    def value(phi: Array) -> float:
        J = pseudo_inertia(phi)
        if np.linalg.eigvalsh(J)[0] <= 0:
            return np.inf
        distance = np.trace(J @ J0) - np.linalg.slogdet(J @ J0)[1]
        return float(0.5 * np.sum((Y @ phi - y)**2) / NOISE**2 + distance)

    phi = guess
    for _ in range(50):
        inverse = np.linalg.inv(pseudo_inertia(phi))
        turned = [inverse @ E for E in units]
        slope = Y.T @ (Y @ phi - y) / NOISE**2 + [np.trace(J0 @ E) - np.trace(T) for E, T in zip(units, turned)]
        curvature = Y.T @ Y / NOISE**2 + [[np.trace(A @ B) for A in turned] for B in turned]
        way, size = -np.linalg.solve(curvature, slope), 1.0
        while size > 1e-9 and value(phi + size * way) > value(phi) + 1e-4 * size * (slope @ way):
            size /= 2
        phi = phi + size * way
        if -slope @ way < 1e-10:
            break
    return phi


def main() -> int:
    text = (MODELS / "arm7.urdf").read_text()
    arm, loaded = zw.loads(text), zw.loads(text.replace('<link name="tool0"/>', TOOL))
    of_tool = slice(10 * arm.link_names.index("tool0"), 10 * arm.link_names.index("tool0") + 10)
    truth = loaded.inertial_parameters[of_tool]

    q, v, a = motion(arm, 0.7)
    noise = NOISE * np.random.default_rng(3).normal(size=q.shape)
    measured = zw.inverse_dynamics(loaded, q, v, a) + noise
    Y = zw.inverse_dynamics_regressor(arm, q, v, a)[:, :, of_tool].reshape(-1, 10)
    y = (measured - zw.inverse_dynamics(arm, q, v, a)).ravel()
    plain = np.linalg.lstsq(Y, y, rcond=None)[0]
    guess = np.array([1, 0, 0, 0.05, 0.005, 0, 0.005, 0, 0, 0.002])  # a kilogram, some 5 cm in front of the flange
    found = physical(Y, y, guess)

    print(f"{y.size} torques, noise {NOISE} N m\n               truth   least squares   physical")
    for row in zip(NAMES, truth, plain, found):
        print("{:<8} {:11.5f} {:15.5f} {:10.5f}".format(*row))
    smallest = [np.linalg.eigvalsh(pseudo_inertia(phi))[0] for phi in (truth, plain, found)]
    print("{:<8} {:11.5f} {:15.5f} {:10.5f}".format("least J", *smallest))

    # Another motion, without noise: what each estimate gets wrong.
    q2, v2, a2 = motion(arm, 1.9)
    left = zw.inverse_dynamics(loaded, q2, v2, a2) - zw.inverse_dynamics(arm, q2, v2, a2)
    Y2 = zw.inverse_dynamics_regressor(arm, q2, v2, a2)[:, :, of_tool]
    error = [float(np.sqrt(np.mean((left - Y2 @ phi)**2))) for phi in (0 * truth, plain, found)]
    print("another motion, rms error [N m]: no tool {:.4f}, least squares {:.4f}, physical {:.4f}".format(*error))

    # The gradient of the misfit of one sample: accelerations prescribed, torques are the solution.
    solver = zw.Solver(loaded, zw.ConstraintSet(loaded))
    solver.solve(q[7], v[7], prescribed=dict(zip(arm.coordinate_names, a[7])))
    by_vjp = solver.vjp(motor_torque=noise[7]).inertial_parameters[of_tool]
    apart = abs(by_vjp - Y.reshape(SAMPLES, -1, 10)[7].T @ noise[7]).max()
    good = smallest[1] < 0 < smallest[2] and error[2] < 0.1 * error[0] and apart < 1e-9
    print(f"the tool is a body and predicts another motion, both gradients agree: {'ok' if good else 'NO'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
