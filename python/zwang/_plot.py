# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of trajectories, by matplotlib, and tables."""
from __future__ import annotations

import csv
import importlib
import io
import os
import pathlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from . import Trajectory

_MOST_NAMES = 12  # lines with a legend of their own


def plot(t: Trajectory, path: str | bytes | os.PathLike[str] | None = None) -> Any:
    """Trajectory.plot: q, v, motor torques, multipliers, energy and errors over time, below each other."""
    try:  # by name: matplotlib need not be there for type checkers
        canvas = importlib.import_module("matplotlib.backends.backend_agg").FigureCanvasAgg
        make_figure = importlib.import_module("matplotlib.figure").Figure
    except ImportError as error:
        raise ImportError("Trajectory.plot needs the package matplotlib: pip install zwang[plot]") from error
    if t.time.ndim != 1:
        raise ValueError(f"Trajectory.plot: there are {t.time.shape[0]} motions, expected one")
    parts = [("q [rad, m]", t.q, t.q_names), ("v [rad/s, m/s]", t.v, t.names)]
    if np.isfinite(t.motor_torque).any():
        parts.append(("motor torque [N m, N]", t.motor_torque, t.names))
    if t.multipliers.shape[1] > 0:
        parts.append(("multipliers [N, N m]", t.multipliers, t.row_names))
    parts.append(("energy [J]", t.energy[:, None], [""]))
    if t.multipliers.shape[1] > 0:
        parts.append(("largest error of the rows", t.error[:, None], [""]))
    figure: Any = make_figure(figsize=(8, 2.2 * len(parts)), layout="constrained")
    canvas(figure)
    axes = figure.subplots(len(parts), 1, sharex=True, squeeze=False)[:, 0]
    for axis, (label, numbers, names) in zip(axes, parts, strict=True):
        for k, name in enumerate(names):
            axis.plot(t.time, numbers[:, k], linewidth=1, label=name)
        axis.set_ylabel(label)
        axis.grid(alpha=0.3)
        if 1 < len(names) <= _MOST_NAMES:
            axis.legend(fontsize="x-small", ncols=2)
        for event in t.events:
            axis.axvline(event.time, color="grey", linewidth=0.5, linestyle=":")
    axes[-1].set_xlabel("time [s]")
    if path is not None:
        figure.savefig(os.fsdecode(path))
    return figure


def to_csv(t: Trajectory, path: str | bytes | os.PathLike[str] | None = None) -> str | None:
    """Trajectory.to_csv: a row for each state of each motion."""
    if path is not None and not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"Trajectory.to_csv: argument 'path' has type {type(path).__name__}, expected the name of a file")
    several = t.time.ndim == 2
    heads = ["motion"] * several + ["time"]
    for what, names in (("q:", t.q_names), ("v:", t.names), ("a:", t.names), ("lambda:", t.row_names), ("tau:", t.names)):
        heads += [what + name for name in names]
    heads += ["energy", "error", "velocity_error"]
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(heads)
    numbers = (t.time, t.q, t.v, t.acceleration, t.multipliers, t.motor_torque, t.energy, t.error, t.velocity_error)
    for k, states in enumerate(np.atleast_1d(t.states)):
        one = [x[k] if several else x for x in numbers]
        rows = np.hstack([x[:, None] if x.ndim == 1 else x for x in one])[:states]
        for row in rows.tolist():
            table.writerow([k] * several + [repr(x) for x in row])
    if path is None:
        return text.getvalue()
    pathlib.Path(os.fsdecode(path)).write_text(text.getvalue(), encoding="utf-8", newline="")
    return None
