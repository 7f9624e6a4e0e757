# SPDX-License-Identifier: BSD-3-Clause
"""Constrained dynamics of articulated bodies by Gauss' principle of least constraint.

    import zwang as zw
    arm = zw.load("models/arm7.urdf")
    q, v, a = arm.neutral(), arm.zero(), arm.zero()
    tau = zw.inverse_dynamics(arm, q, v, a)    # or forward_dynamics, mass_matrix
    constraints = zw.ConstraintSet(arm)
    constraints.add_frame("tool", frame="tool0", rows=["linear", "angular.x"], role="driver")
    solution = zw.Solver(arm, constraints).solve(q, v, tau)
    solution.acceleration, solution["tool"].wrench

Vectors are NumPy arrays of float64, lists, or dictionaries {joint: number}; results are fresh arrays unless `out=` is given. A
leading dimension N (states) is accepted everywhere, and computed in SIMD lanes by all threads (set_threads); float32 stays float32.
Units are SI; 6-vectors are [linear; angular]; quaternions are x y z w.
Wrong sizes, types, names and NaN raise ValueError naming the argument; files that are refused raise ModelError.
zwang.torch, zwang.jax and zwang.casadi give dynamics with gradients to these packages, zwang.gym is for reinforcement learning;
imported when first named.
"""
import importlib as _importlib

from ._progress import ProgressEvery
from ._status import Reports, Rollout, Statuses
from ._zwang import *
from ._zwang import __version__

_MODULES = ("casadi", "gym", "jax", "peers", "study", "torch")
_LATER = {"LiveView": "_live", "Compiled": "_generated", "CompiledFunction": "_generated", "compile_c": "_generated",
           "Verification": "_verify", "verify": "_verify", "Study": "study", "StudyError": "study", "StudyResults": "study",
          "open_study": "study"}  # by name, the module that has it; __init__.pyi says the same to type checkers and editors


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return _importlib.import_module(f"zwang.{name}")
    if name not in _LATER:
        raise AttributeError(f"module 'zwang' has no attribute '{name}'")
    return getattr(_importlib.import_module(f"zwang.{_LATER[name]}"), name)


def __dir__() -> list[str]:
    known = ("__doc__", "__file__", "__name__", "__path__", "__version__")
    return sorted(name for name in globals() if not name.startswith("_") or name in known)
