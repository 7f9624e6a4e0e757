#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the conversions of docs/migrate on states of real robots, against the library that a page is about.

    migration.py drake|mujoco|pinocchio <folder> [<folder> ...]

Every URDF of the folders that both libraries read as it stands, fixed and floating: mass matrix, bias forces, inverse
and forward dynamics in the other library's coordinates, and the state back. Exit code 0: all agree to 1e-10 of the largest
entry; 1: something differs; 77: skipped, a library is not there.
"""
import contextlib
import glob
import importlib
import io
import logging
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOLERANCE = 1e-10


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


def functions_of(page):
    """What the blocks of a page define."""
    text = (ROOT / "docs" / "migrate" / f"{page}.md").read_text(encoding="utf-8")
    defined = {}
    before = os.getcwd()
    os.chdir(ROOT)  # of the paths on the page
    with contextlib.redirect_stdout(io.StringIO()):
        for block in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            exec(block, defined)
    os.chdir(before)
    return defined


def bare(urdf):
    """Without meshes, motors and mimics: every joint has its coordinate."""
    text = pathlib.Path(urdf).read_text(encoding="utf-8")
    tags = "visual|collision|transmission|mimic"
    return re.sub(rf"<({tags})\b[^>]*/>|<({tags})\b.*?</\2>", "", text, flags=re.DOTALL)


def root_link(model):
    return next(link.name for link in model.links if not link.parent)


def mujoco_pairs(page, model, urdf, q, v, a, tau):
    mj, floating = importlib.import_module("mujoco"), "root_joint" in model.joint_names
    free = ('<link name="world"/><joint name="root_joint" type="floating"><parent link="world"/>'
            f'<child link="{root_link(model)}"/></joint>' if floating else "")
    options = '<mujoco><compiler fusestatic="true" balanceinertia="false" boundinertia="0" boundmass="0"/></mujoco>'
    try:
        m = mj.MjModel.from_xml_string(bare(urdf).replace("</robot>", free + options + "</robot>"))
    except ValueError as refused:
        raise LookupError(" ".join(str(refused).split())) from None
    names, d = [m.joint(k).name for k in range(m.njnt)], mj.MjData(m)
    at = model.layout(names).v
    m.dof_armature[:] = model.armature[at]
    m.opt.disableflags |= mj.mjtDisableBit.mjDSBL_CONSTRAINT  # limits and joint friction
    d.qpos[:], d.qvel[:], qacc = page["to_mujoco"](model, names, q, v, a)
    T = page["to_world"](model, q)[at]
    M, bias = page["dynamics_of_mujoco"](model, names, q, v)
    d.qfrc_applied[:] = T @ tau
    mj.mj_forward(m, d)
    theirs = np.zeros((m.nv, m.nv))
    mj.mj_fullM(m, d, theirs) if hasattr(d, "M") else mj.mj_fullM(m, theirs, d.qM)
    yield "mass matrix", M, theirs
    yield "bias forces", bias, d.qfrc_bias
    yield "forward dynamics", page["to_mujoco"](model, names, q, v, zw.forward_dynamics(model, q, v, tau))[2], d.qacc
    yield "back", np.hstack(page["from_mujoco"](model, names, d.qpos, d.qvel, qacc)), np.hstack([q, v, a])
    d.qacc[:] = qacc
    mj.mj_inverse(m, d)
    yield "inverse dynamics", T @ zw.inverse_dynamics(model, q, v, a), d.qfrc_inverse


def drake_pairs(page, model, urdf, q, v, a, tau):
    plants, tree = importlib.import_module("pydrake.multibody.plant"), importlib.import_module("pydrake.multibody.tree")
    parsing = importlib.import_module("pydrake.multibody.parsing")
    floating = "root_joint" in model.joint_names
    plant, base = plants.MultibodyPlant(0.0), root_link(model)
    logging.getLogger("drake").setLevel(logging.ERROR)  # it warns of every tag and inertia
    try:
        parsing.Parser(plant).AddModelsFromString(bare(urdf), "urdf")
        if not floating and base != "world":
            with contextlib.suppress(RuntimeError):  # the file has welded it
                plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(base))
        plant.Finalize()
    except RuntimeError as refused:
        raise LookupError(" ".join(str(refused).split())) from None
    c = plant.CreateDefaultContext()
    moving = [j for j in map(plant.get_joint, plant.GetJointIndices()) if j.num_velocities() > 0]
    moving.sort(key=lambda j: j.velocity_start())
    names = ["root_joint" if j.type_name() == "quaternion_floating" else j.name() for j in moving]
    if plant.num_velocities() != model.nv or len(names) != len(set(names)):
        raise LookupError("other joints")
    for link in model.links:  # Drake replaces what no rigid body has
        moments = np.linalg.eigvalsh(link.inertia)
        if min(moments) < 0 or 2 * max(moments) > sum(moments):
            raise LookupError(f"Drake changes the inertia of {link.name}")
    q_drake, v_drake, vdot = page["to_drake"](model, names, q, v, a)
    plant.SetPositions(c, q_drake)
    plant.SetVelocities(c, v_drake)
    at = model.layout(names).v
    T, rotors = page["to_drake_axes"](model, q)[at], np.diag(model.armature[at])  # Drake's rotors belong to actuators
    M, bias, gravity = page["dynamics_of_drake"](model, names, q, v)
    none, forces = zw.JointEffects(armature=False), tree.MultibodyForces(plant)
    plant.CalcForceElementsContribution(c, forces)
    yield "mass matrix", M - rotors, plant.CalcMassMatrix(c)
    yield "bias forces", bias, plant.CalcBiasTerm(c)
    yield "gravity forces", gravity, plant.CalcGravityGeneralizedForces(c)
    yield "inverse dynamics", T @ zw.inverse_dynamics(model, q, v, a, joint_effects=none), (
        plant.CalcInverseDynamics(c, vdot, forces))
    plant.get_applied_generalized_force_input_port().FixValue(c, T @ tau)
    moved = zw.forward_dynamics(model, q, v, tau, joint_effects=none)
    yield "forward dynamics", page["to_drake"](model, names, q, v, moved)[2], (
        plant.get_generalized_acceleration_output_port().Eval(c))
    yield "back", np.hstack(page["from_drake"](model, names, q_drake, v_drake, vdot)), np.hstack([q, v, a])


def pinocchio_pairs(page, model, urdf, q, v, a, tau):
    pin, floating = importlib.import_module("pinocchio"), "root_joint" in model.joint_names
    m = pin.buildModelFromXML(bare(urdf), *((pin.JointModelFreeFlyer(),) if floating else ()))
    names = list(m.names)[1:]
    turning = {name for name, joint in zip(names, list(m.joints)[1:]) if (joint.nq, joint.nv) == (2, 1)}
    at, d = model.layout(names).v, m.createData()
    if m.nv != model.nv:
        raise LookupError("other joints")
    pq, pv = page["to_pinocchio"](model, names, turning, q, v)
    none = zw.JointEffects(armature=False, damping=False, springs=False)
    M = np.triu(pin.crba(m, d, pq))
    yield "mass matrix", zw.mass_matrix(model, q, joint_effects=none)[np.ix_(at, at)], (
        M + np.triu(M, 1).T - np.diag(m.armature))
    yield "bias forces", zw.bias_forces(model, q, v, joint_effects=none)[at], pin.nonLinearEffects(m, d, pq, pv)
    back = page["from_pinocchio"](model, names, turning, pq, pv)
    yield "back", np.hstack([zw.frame_pose(model, back[0], model.links[-1].name).ravel(), back[1]]), (
        np.hstack([zw.frame_pose(model, q, model.links[-1].name).ravel(), v]))


LIBRARIES = {
    "drake": ("pydrake", drake_pairs),
    "mujoco": ("mujoco", mujoco_pairs),
    "pinocchio": ("pinocchio", pinocchio_pairs),
}


def main(name, folders):
    library, pairs = LIBRARIES[name]
    page, worst, left_out, failed = functions_of(name), {}, {}, 0
    files = sorted(file for folder in folders for file in glob.glob(os.path.join(folder, "*.urdf")))
    for urdf in files:
        for root in ("fixed", "floating"):
            where = f"{os.path.basename(urdf)}, {root}"
            try:
                model = zw.load(urdf, root=root, expand_mimic=True)
                rng = np.random.default_rng(1)
                state = (model.random(seed=1), *rng.uniform(-1, 1, (3, model.nv)))
                for what, ours, theirs in pairs(page, model, urdf, *state):
                    error = np.abs(ours - theirs).max() / max(np.abs(ours).max(), np.abs(theirs).max(), 1e-3)
                    worst[what] = max(worst.get(what, (-1, "")), (error, where))
            except (LookupError, zw.ModelError) as reason:
                left_out[where] = str(reason).splitlines()[0][:90]
    for what, (error, where) in worst.items():
        failed += not error <= TOLERANCE
        print(f"{what:20} {error:8.1e}  {where}{'' if error <= TOLERANCE else '   DIFFERS'}")
    for where, reason in left_out.items():
        print(f"left out: {where}: {reason}")
    print(f"{library}: {2 * len(files) - len(left_out)} robots, {failed} differ")
    return 1 if failed or not worst else 0


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in LIBRARIES:
        sys.exit(__doc__)
    folders = [os.path.abspath(folder) for folder in sys.argv[2:]]
    try:
        import numpy as np
        import zwang as zw
        importlib.import_module(LIBRARIES[sys.argv[1]][0])
    except ImportError as error:
        skip(str(error))
    sys.exit(main(sys.argv[1], folders))
