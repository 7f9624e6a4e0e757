# SPDX-License-Identifier: BSD-3-Clause
"""Formulas of the library as expressions of CasADi: what the pages compute, one operation after the other."""
from collections.abc import Callable, Sequence
from typing import Any

from . import _zwang as zw


def function(ca: Any, name: str, inputs: Sequence[tuple[str, int]], result: str, formula: tuple[list[Any], ...]) -> Any:
    """A casadi.Function of SX. ca: the module casadi. inputs: names and sizes in the order of the formula."""
    given = [ca.SX.sym(n, size) for n, size in inputs]
    flat = ca.vertsplit(ca.vertcat(*given)) if given else []
    # In the order of Operation (zwang/codegen/formula.hpp), after constants and inputs.
    steps: list[Callable[[Any, Any, Any], Any]] = [
        lambda a, b, c: a + b, lambda a, b, c: a - b, lambda a, b, c: a * b, lambda a, b, c: a / b,
        lambda a, b, c: -a, lambda a, b, c: ca.sqrt(a), lambda a, b, c: ca.sin(a), lambda a, b, c: ca.cos(a),
        lambda a, b, c: ca.atan2(a, b), lambda a, b, c: a < b, lambda a, b, c: ca.logic_and(a, b),
        lambda a, b, c: ca.logic_or(a, b), lambda a, b, c: ca.logic_not(a), lambda a, b, c: ca.if_else(a, b, c)]
    node: list[Any] = []
    for operation, a, b, c, value in zip(*formula[:5]):
        if operation == 0:
            node.append(ca.SX(value))
        elif operation == 1:
            node.append(flat[a])
        else:
            node.append(steps[operation - 2](node[a], node[b], node[c]))
    out = ca.vertcat(*(node[k] for k in formula[5])) if formula[5] else ca.SX(0, 1)
    return ca.Function(name, given, [out], [n for n, _ in inputs], [result])


def of(model: zw.Model, name: str, *, frame: str = "", reference: str = "local_world_aligned",
       kind: str = "classical", wrenches: Sequence[str] = (), in_: str = "local_world_aligned",
       joint_effects: zw.JointEffects | None = None, gravity: Sequence[float] | None = None) -> tuple[list[Any], ...]:
    numbers = None if gravity is None else [float(g) for g in gravity]
    found: tuple[list[Any], ...] = zw._formula(  # type: ignore[attr-defined]
        model, name.removeprefix('frame_'), frame, reference, kind, list(wrenches), in_, joint_effects, numbers)
    return found
