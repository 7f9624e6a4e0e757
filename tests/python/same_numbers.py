# SPDX-License-Identifier: BSD-3-Clause
"""Numbers that are the same on every processor, up to rounding: test_same_numbers.py compares them where the tests of Python run,
tools/wheel_arm64.sh those of the wheel for 64-bit Arm.

  same_numbers.py [--write]      compares with same_numbers.json, or writes it; exit status 1 where they differ

States are quotients of small integers: nothing is drawn, and no function that rounds differently elsewhere comes between.
"""
import json
import pathlib
import platform
import sys

import numpy as np
import zwang as zw

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "same_numbers.json"
MODELS = HERE.parents[1] / "models"
# Of the largest number of an array. Where the inputs move by a last bit, these arrays move by 3e-14 at most: they have been chosen so, since
# processors contract other products and sums.
TOLERANCE = 1e-13


def spread(n, seed):
    """n numbers in (-1, 1), none of them zero."""
    return np.array([((7 * k + 3 * seed) % 11 - 5.5) / 11 + k / (16 * n) for k in range(n)])


def state(model, seed=1):
    return zw.integrate(model, model.neutral(), spread(model.nv, seed)), spread(model.nv, seed + 1), 5 * spread(model.nv, seed + 2)


def numbers():
    """Name to array: trees, a set of contacts, a loop, a tool that is held, lanes of a batch."""
    found = {}
    for name, root in (("arm7", "fixed"), ("quadruped", "floating"), ("humanoid", "floating")):
        model = zw.load(MODELS / f"{name}.urdf", root=root)
        q, v, tau = state(model)
        a = zw.forward_dynamics(model, q, v, tau)
        found |= {f"{name}: q": q, f"{name}: a": a, f"{name}: tau": zw.inverse_dynamics(model, q, v, a), f"{name}: M": zw.mass_matrix(model, q)}
        states = [state(model, seed) for seed in range(5)]  # lanes, and a rest
        found[f"{name}: a of five states"] = zw.forward_dynamics(model, *(np.stack(x) for x in zip(*states)))

    arm = zw.load(MODELS / "arm7.urdf")
    tool = zw.ConstraintSet(arm)
    tool.add_frame("tool", frame="tool0", rows=["linear.x", "linear.y", "angular"], role="driver")
    dog = zw.load(MODELS / "quadruped.urdf", root="floating")
    feet = zw.ConstraintSet(dog)
    for foot in ("LF_foot", "RF_foot", "LH_foot"):
        feet.add_contact(foot, frame=foot, normal=[0, 0, 1])
    for name, model, constraints in (("tool", arm, tool), ("feet", dog, feet)):
        q, v, tau = state(model)
        s = zw.Solver(model, constraints).solve(q, v, tau)
        assert s.report.status == "ok", s.report.explain()
        found |= {f"{name}: acceleration": s.acceleration, f"{name}: multipliers": s.multipliers, f"{name}: motor torque": s.motor_torque}
    return found


def differences(found, record):
    """Name to the largest difference, of the largest number of the array."""
    if found.keys() != record.keys():
        raise ValueError(f"other names: {sorted(found.keys() ^ record.keys())}")
    worst = {}
    for name, array in found.items():
        expected = np.array(record[name])
        if array.shape != expected.shape:
            raise ValueError(f"{name}: {array.shape} instead of {expected.shape}")
        worst[name] = float(np.abs(array - expected).max() / np.abs(expected).max())  # NaN stays one
    return worst


def main():
    found = numbers()
    if sys.argv[1:] == ["--write"]:
        lines = [f'  {json.dumps(name)}: {json.dumps(array.tolist())}' for name, array in found.items()]
        RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        return 0
    if sys.argv[1:]:
        sys.exit("usage: same_numbers.py [--write]")
    worst = differences(found, json.loads(RECORD.read_text(encoding="utf-8")))
    for name, difference in worst.items():
        print(f"{name:30} {difference:.1e}{'' if difference <= TOLERANCE else f'  MORE THAN {TOLERANCE:.0e}'}")
    failed = [name for name, difference in worst.items() if not difference <= TOLERANCE]
    print(f"zwang {zw.__version__}, Python {platform.python_version()}, {platform.machine()}, level {zw.instruction_set()}: {len(worst)} arrays,",
          "FAILED" if failed else f"at most {max(worst.values()):.1e} apart")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
