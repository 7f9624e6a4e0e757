# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of trajectories, by matplotlib."""
from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import Trajectory

_MOST_NAMES = 12  # lines with a legend of their own


def plot(t: Trajectory, path: str | bytes | os.PathLike[str] | None = None) -> Any:
    """Trajectory.plot: q, v, multipliers, energy and errors over time, below each other."""
    try:  # by name: matplotlib need not be there for type checkers
        canvas = importlib.import_module("matplotlib.backends.backend_agg").FigureCanvasAgg
        make_figure = importlib.import_module("matplotlib.figure").Figure
    except ImportError as error:
        raise ImportError("Trajectory.plot needs the package matplotlib: pip install zwang[plot]") from error
    if t.time.ndim != 1:
        raise ValueError(f"Trajectory.plot: there are {t.time.shape[0]} motions, expected one")
    parts = [("q [rad, m]", t.q, t.q_names), ("v [rad/s, m/s]", t.v, t.names)]
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
