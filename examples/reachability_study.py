# SPDX-License-Identifier: BSD-3-Clause
"""Where an arm reaches, and how well it moves there: a study of 200 000 configurations, and its map as a picture.

A function of a block gives the distance of the tool from the first axis, its height, and the manipulability of its
position, sqrt(det(J J^T)) (Yoshikawa 1985). The study runs in this process and in two others: the same bits.
"""
import pathlib
import sys
import tempfile
from typing import Any

import numpy as np
import zwang as zw
from numpy.typing import NDArray

Array = NDArray[Any]
MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
COLUMNS, ROWS = 40, 48


def reach(block: "zw.study.Block") -> dict[str, Array]:
    position = zw.frame_pose(block.model, block.q, "tool0")[:, :3, 3]
    J = zw.jacobian(block.model, block.q, "tool0")[:, :3]
    volume = np.linalg.det(J @ J.transpose(0, 2, 1))
    return {"radius": np.hypot(position[:, 0], position[:, 1]), "height": position[:, 2],
            "manipulability": np.sqrt(np.maximum(volume, 0))}


def picture(best: Array, low: float, high: float, far: float) -> str:
    """An SVG: a square for each cell, darker where the arm moves better."""
    cell, dark = 8, np.nanmax(best)
    squares = [f'<rect x="{cell * i}" y="{cell * (ROWS - 1 - k)}" width="{cell}" height="{cell}" '
               f'fill="rgb({255 - 215 * best[i, k] / dark:.0f},{255 - 150 * best[i, k] / dark:.0f},{255 - 75 * best[i, k] / dark:.0f})"/>'
               for i in range(COLUMNS) for k in range(ROWS) if np.isfinite(best[i, k])]
    text = (f'<text x="4" y="{cell * ROWS + 16}" font-size="12" font-family="sans-serif">'
            f'0 to {far:.2f} m from the axis, {low:.2f} to {high:.2f} m high; dark: moves well</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {cell * COLUMNS} {cell * ROWS + 22}" '
            f'width="{cell * COLUMNS}">{"".join(squares)}{text}</svg>\n')


def main() -> int:
    arm = zw.load(MODELS / "arm7.urdf")
    study = zw.Study(arm, what=zw.study.Function(reach, name="reach"), over=zw.study.Sample(200_000, seed=1, q="limits"),
                     reduce={"reach.radius": "max", "reach.height": ["min", "max"]}, block=8192,
                     store=["reach.radius", "reach.height", "reach.manipulability"], name="reachability of arm7")
    with tempfile.TemporaryDirectory() as folder:
        here = study.run(pathlib.Path(folder) / "here")
        there = study.run(pathlib.Path(folder) / "there", engine="processes:2")
        same = here.hash() == there.hash()
        found, reduced = here.numpy(), here.reduced
    far, (low, high) = reduced["reach.radius"]["max"], (reduced["reach.height"][x] for x in ("min", "max"))
    i = np.minimum((found["reach.radius"] / far * COLUMNS).astype(int), COLUMNS - 1)
    k = np.minimum(((found["reach.height"] - low) / (high - low) * ROWS).astype(int), ROWS - 1)
    best = np.full((COLUMNS, ROWS), np.nan)
    np.fmax.at(best, (i, k), found["reach.manipulability"])
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_text(picture(best, low, high, far))
    print(f"{study.states} configurations: up to {far:.3f} m from the axis, {low:.3f} to {high:.3f} m high")
    for row in reversed(range(0, ROWS, 4)):
        shades = np.nan_to_num(best[::2, row] / np.nanmax(best), nan=-1)
        print("".join(" .:-=+*#%@"[0 if x < 0 else 1 + int(8.999 * x)] for x in shades))
    # No pose is farther from the second joint than all links together are long.
    places = zw.frame_poses(arm, arm.neutral(), ["joint2", *[f"joint{n}" for n in range(3, 8)], "tool0"])[:, :3, 3]
    length, shoulder = np.linalg.norm(np.diff(places, axis=0), axis=1).sum(), places[0, 2]
    within = np.hypot(found["reach.radius"], found["reach.height"] - shoulder).max() <= length * (1 + 1e-14)
    good = same and within
    print(f"two processes give the same bits, and no link is stretched: {'ok' if good else 'NO'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
