# SPDX-License-Identifier: BSD-3-Clause
"""Contact in time beside MuJoCo, in one process: a box on an incline, one that slides, a stack of ten. Prints the time of a step and what is wrong with it.

Needs the wheels of mujoco and zwang. Times are those of this machine, by the clock of the thread; nothing depends on them.
"""
import math
import time

import mujoco
import numpy as np
import zwang as zw

G, MU, DT, STEPS = 9.81, 0.5, 1e-3, 500
STIFF = 'solref="0.002 1" solimp="0.99 0.9999 0.001"'


def boxes_of_mujoco(count: int, gravity: tuple[float, float, float], options: str) -> mujoco.MjModel:
    bodies = "".join(f'<body pos="0 0 {0.05 + 0.1 * k}"><freejoint/><geom type="box" size="0.1 0.1 0.05" mass="1" {options}/></body>'
                     for k in range(count))
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{DT}" gravity="{gravity[0]} {gravity[1]} {gravity[2]}" cone="elliptic" impratio="100"/>'
        f'<default><geom friction="{MU} 0 0" condim="3"/></default>'
        f'<worldbody><geom type="plane" size="0 0 1" {options}/>{bodies}</worldbody></mujoco>')


def of_mujoco(count: int, gravity: tuple[float, float, float], options: str) -> tuple[float, np.ndarray, np.ndarray]:
    model = boxes_of_mujoco(count, gravity, options)
    data = mujoco.MjData(model)
    for _ in range(20):
        mujoco.mj_step(model, data)
    mujoco.mj_resetData(model, data)
    begin = time.thread_time()
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
    return (time.thread_time() - begin) / STEPS * 1e6, data.qpos.copy(), data.qvel.copy()


def of_zwang(count: int, gravity: tuple[float, float, float]) -> tuple[float, np.ndarray, np.ndarray]:
    builder = zw.ModelBuilder("boxes").add_link("world")
    for k in range(count):
        builder.add_link(f"b{k}", mass=1, inertia=np.diag([0.05 / 12, 0.05 / 12, 0.08 / 12]))
        builder.add_joint(f"j{k}", "floating", "world", f"b{k}", origin=(0, 0, 0.05 + 0.1 * k))
    model = builder.build(gravity=gravity)
    scene = zw.Scene(model)
    for k in range(count):
        scene.add_box(f"b{k}", (0.2, 0.2, 0.1), link=f"b{k}", friction=MU)
    scene.ground(friction=MU)
    begin = time.thread_time()
    t = zw.simulate(model, None, model.neutral(), time=STEPS * DT, dt=DT, integrator="contact", scene=scene, every=STEPS)
    spent = (time.thread_time() - begin) / STEPS * 1e6
    assert t.status == "ok", t.reason
    return spent, t.q[-1], t.v[-1]


def main() -> None:
    print(f"{'scene':<22}{'':<16}{'us a step':>10}{'error of v [m/s]':>18}{'height [m]':>14}")
    for name, count, angle in (("incline 20 degrees", 1, 20.0), ("incline 35 degrees", 1, 35.0), ("stack of 10", 10, 0.0)):
        a = math.radians(angle)
        gravity = (G * math.sin(a), 0.0, -G * math.cos(a))
        speed = max(0.0, G * (math.sin(a) - MU * math.cos(a))) * STEPS * DT
        rows = [("zwang", *of_zwang(count, gravity)), ("mujoco", *of_mujoco(count, gravity, "")), ("mujoco, stiff", *of_mujoco(count, gravity, STIFF))]
        for who, spent, q, v in rows:
            off = max(abs(abs(v[6 * k]) - speed) for k in range(count))
            rise = q[2] if who == "zwang" else q[2] - 0.05
            print(f"{name:<22}{who:<16}{spent:10.1f}{off:18.1e}{rise:14.1e}")


if __name__ == "__main__":
    main()
