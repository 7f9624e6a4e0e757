#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares zwang with MuJoCo on robots that zwang writes as MJCF: of every URDF (three also with a floating base), SDF and MJCF of the
folders given, at three random states each, the mass matrix, bias, poses of all links and the span of the rows of constraints. Of an MJCF
MuJoCo on the file itself as well.

    mujoco_written.py <dump_written> <folder> [<folder> ...]

Exit code 0: all agree, or have a loss that says why not; 1: something differs; 77: skipped, `import mujoco` fails or there are no files.

MuJoCo's v' = B v: the columns of B are the velocities of keyframes, so that coordinates of mimicking joints follow their leaders. M = B^T M' B
and h = B^T (h' + M' B' v), where B moves with free joints alone: B' v = R (w x v) in their linear part.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

try:
    import mujoco
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

TOLERANCE = 1e-9  # relative to the largest entry; inertias that break A + B >= C by less are changed by as much
ROWS = 1e-6  # of an angle between spans, at states that close loops to some 1e-9
FLOATING = ("go1", "solo12", "talos_reduced")
CHANGED = {"L_INERTIA", "L_MASSLESS", "L_ARMATURE"}  # losses that change M, or the bias of a free joint with armature


def bare(path):
    """The text without shapes, whose files need not be there."""
    root = ElementTree.parse(path).getroot()
    for parent in list(root.iter()):
        for child in [x for x in parent if x.tag in ("geom", "asset", "exclude", "default")]:
            parent.remove(child)
    return ElementTree.tostring(root, encoding="unicode")


def largest(x):
    return float(np.abs(x).max()) if np.size(x) else 0.0


def full_matrix(model, data):
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    return full


def outside(a, b):
    """The largest part of a row of a, of unit length, outside of the span of b."""
    a = a[np.linalg.norm(a, axis=1) > 1e-9] if len(a) else a
    if not len(a):
        return 0.0
    a = a / np.linalg.norm(a, axis=1)[:, None]
    if not len(b):
        return largest(a)
    _, sizes, V = np.linalg.svd(b, full_matrices=False)
    V = V[sizes > 1e-9 * max(sizes[0], 1e-9)]
    return largest(a - a @ V.T @ V)


def rows_of(model, data, B):
    """What MuJoCo's active equalities hold."""
    dense = data.efc_J.ravel()[:data.nefc * model.nv].reshape(data.nefc, model.nv)
    return dense[data.efc_type[:data.nefc] == mujoco.mjtConstraint.mjCNSTR_EQUALITY] @ B


def apart(model, found, loops):
    """The largest differences: M, bias, poses, rows. `loops`: some rows are lost."""
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data, worst, columns = mujoco.MjData(model), np.zeros(4), len(found["states"][0]["v"])
    for k, state in enumerate(found["states"] if columns else []):  # nothing moves where there are none
        first, v = k * columns, np.array(state["v"])
        B = np.array([model.key_qvel[first + i] for i in range(columns)]).T.reshape(model.nv, columns)
        data.qpos[:], data.qvel[:] = model.key_qpos[first], B @ v
        turned = np.zeros(model.nv)
        for j in range(model.njnt):
            if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE:
                at, spin = model.jnt_dofadr[j], np.zeros(9)
                mujoco.mju_quat2Mat(spin, model.key_qpos[first][model.jnt_qposadr[j] + 3:model.jnt_qposadr[j] + 7])
                R = spin.reshape(3, 3)
                turned[at:at + 3] = R @ np.cross(data.qvel[at + 3:at + 6], R.T @ data.qvel[at:at + 3])
        mujoco.mj_forward(model, data)
        full = full_matrix(model, data)
        M, h = B.T @ full @ B, B.T @ (data.qfrc_bias + full @ turned)
        own = np.array(state["M"]).reshape(columns, columns)
        there = {model.body(i).name: i for i in range(model.nbody)}
        pose = 0.0
        for name, numbers in state["poses"].items():
            if name in there and name != "world":
                X, i = np.array(numbers).reshape(3, 4), there[name]
                far = max(1.0, largest(data.xpos[i]))
                pose = max(pose, largest(X[:, :3] - data.xmat[i].reshape(3, 3)), largest(X[:, 3] - data.xpos[i]) / far)
        ours, theirs = np.array(state["rows"]).reshape(-1, columns), rows_of(model, data, B)
        apart_rows = max(outside(theirs, ours), 0 if loops else outside(ours, theirs))
        worst = np.maximum(worst, [largest(own - M) / max(largest(M), 1e-12),
                                   largest(state["bias"] - h) / max(largest(h), 9.81 * found["mass"], 1e-9), pose, apart_rows])
    return worst


def original(path, model):
    """M and bias of the file itself and of what was written, in MuJoCo's own coordinates, which are the same."""
    try:
        first = mujoco.MjModel.from_xml_path(path)
    except ValueError:
        return None
    if first.nq != model.nq or first.nv != model.nv:
        return np.array([np.inf, np.inf])
    rng, worst = np.random.default_rng(3), np.zeros(2)
    for _ in range(3):
        v, q, d = rng.uniform(-1, 1, first.nv), first.qpos0.copy(), []
        mujoco.mj_integratePos(first, q, rng.uniform(-1, 1, first.nv), 1.0)
        for m in (first, model):
            data = mujoco.MjData(m)
            data.qpos[:], data.qvel[:] = q, v
            mujoco.mj_forward(m, data)
            d.append((full_matrix(m, data), data.qfrc_bias.copy()))
        mass = float(first.body_mass.sum())
        worst = np.maximum(worst, [largest(d[0][0] - d[1][0]) / max(largest(d[0][0]), 1e-12),
                                   largest(d[0][1] - d[1][1]) / max(largest(d[0][1]), 9.81 * mass, 1e-9)])
    return worst


def main(program, folders):
    files = [path for folder in folders for end in ("urdf", "sdf", "xml") for path in sorted(glob.glob(os.path.join(folder, "*." + end)))]
    files += ["floating:" + path for path in files if os.path.splitext(os.path.basename(path))[0] in FLOATING]
    if not files:
        print("skipped: no files")
        return 77
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        lines = subprocess.run([program, folder, *files], capture_output=True, text=True, check=True).stdout.splitlines()
        for line in lines:
            found = json.loads(line)
            name = ("floating " if found["file"].startswith("floating:") else "") + os.path.basename(found["file"])
            if "refused" in found:
                print(f"{name:75} zwang refuses it: {found['refused']}")
                continue
            codes = sorted(set(found.get("losses", [])))
            try:
                model = mujoco.MjModel.from_xml_string(bare(found["text"]))
            except ValueError as error:
                print(f"{name:75} MuJoCo: {str(error).splitlines()[:2]} {codes}")
                bad += 1
                continue
            worst = apart(model, found, bool({"L_LOOP", "L_CONSTRAINT"} & set(codes)))
            line = f"{name:75} M {worst[0]:.1e} bias {worst[1]:.1e} poses {worst[2]:.1e} rows {worst[3]:.1e}"
            good = worst[:3].max() < TOLERANCE and worst[3] < ROWS
            beside = original(found["file"], model) if name.endswith(".xml") else None
            if beside is not None:
                line += f" beside the file M {beside[0]:.1e} bias {beside[1]:.1e}"
                good = good and beside.max() < TOLERANCE
            explained = sorted(CHANGED & set(codes))
            print(line + ("" if good else f" differs {explained or ''}") + f" {codes}")
            bad += not good and not explained
    print(f"{len(files)} files, {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
