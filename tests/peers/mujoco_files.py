#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares zwang with MuJoCo on every MJCF of the folders given, at three random states each: masses, mass matrix, bias
without springs and dampers, poses of all bodies.

    mujoco_files.py <dump_mjcf> <folder> [<folder> ...]

Exit code 0: all agree; 1: something differs; 77: skipped, `import mujoco` fails or there are no files.

Free joints: v of MuJoCo is B v, B = diag(R, 1), so that M = B^T M' B and h = B^T (h' + M' B' v). The armature of a free
joint acts in the world's axes there: h of such files is not compared.
"""
import glob
import json
import os
import subprocess
import sys

try:
    import mujoco
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

TOLERANCE = 1e-10  # relative to the largest entry; MuJoCo keeps vertices as float and stops eigenvectors at 1e-12
SIZES = {"floating": (7, 6), "spherical": (4, 3)}


def rotation(x, y, z, w):
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def converted(joints, q, v):
    """MuJoCo's q; B and B' v."""
    own, B, turned, at, column = q.copy(), np.eye(len(v)), np.zeros(len(v)), 0, 0
    for joint in joints:
        nq, nv = SIZES.get(joint, (1, 1))
        if nq > 1:
            quaternion = slice(at + nq - 4, at + nq)
            own[quaternion] = np.roll(q[quaternion], 1)
            if joint == "floating":
                R, linear, angular = rotation(*q[quaternion]), slice(column, column + 3), slice(column + 3, column + 6)
                B[linear, linear] = R
                turned[linear] = R @ np.cross(v[angular], v[linear])
        at, column = at + nq, column + nv
    return own, B, turned


def largest(x):
    return float(np.abs(x).max()) if np.size(x) else 0.0


def apart(model, found):
    """The largest differences: mass, M, bias, poses."""
    data, free = mujoco.MjData(model), any(model.dof_armature[model.jnt_dofadr[model.jnt_type == 0]])
    mass = float(model.body_mass[1:].sum())
    worst = np.array([abs(found["mass"] - mass) / max(mass, 1e-9), 0, 0, 0])
    for state in found["states"]:
        q, v = np.array(state["q"], float), np.array(state["v"], float)
        data.qpos[:], B, turned = converted(found.get("joints", []), q, v)
        data.qvel[:] = B @ v
        mujoco.mj_forward(model, data)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        M, h = B.T @ full @ B, B.T @ (data.qfrc_bias + full @ turned)
        own = np.array(state["M"]).reshape(model.nv, model.nv)
        poses = np.array(state["poses"][:model.nbody]).reshape(-1, 3, 4)
        far = np.maximum(1, np.abs(data.xpos).max(axis=1, initial=0))[:, None]
        worst = np.maximum(worst, [worst[0], largest(own - M) / max(largest(M), 1e-12),
                                   0 if free else largest(state["bias"] - h) / max(largest(h), 9.81 * mass),
                                   max(largest(poses[:, :, :3] - data.xmat.reshape(-1, 3, 3)),
                                       largest((poses[:, :, 3] - data.xpos) / far))])
    return worst


def main(program, folders):
    files = [path for folder in folders for path in sorted(glob.glob(os.path.join(folder, "*.xml")))]
    if not files:
        print("skipped: no files")
        return 77
    bad = 0
    for line in subprocess.run([program, *files], capture_output=True, text=True, check=True).stdout.splitlines():
        found = json.loads(line)
        name = os.path.basename(found["file"])
        try:
            model = mujoco.MjModel.from_xml_path(found["file"])
        except ValueError as error:
            print(f"{name:75} MuJoCo: {str(error).splitlines()[0]}")
            continue
        if "refused" in found:
            print(f"{name:75} refused: {found['refused']}")
            bad += found["refused"] != "E_MASS_FROM_MESH"
            continue
        if len(found["states"][0]["q"]) != model.nq:
            print(f"{name:75} nq {len(found['states'][0]['q'])}, not {model.nq}")
            bad += 1
            continue
        worst = apart(model, found)
        print(f"{name:75} mass {worst[0]:.1e} M {worst[1]:.1e} bias {worst[2]:.1e} poses {worst[3]:.1e}")
        bad += not worst.max() < TOLERANCE
    print(f"{len(files)} files, {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
