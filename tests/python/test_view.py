# SPDX-License-Identifier: BSD-3-Clause
"""zw.view: pages of states, motions and forces. What a page holds is compared with what the library computes. In a headless Chromium, where
there is one, it is also opened without a network, on Chromium's own renderer and clock: what the page draws makes a difference in the picture."""
import base64
import json
import os
import re
import shutil
import struct
import subprocess
import zlib

import numpy as np
import pytest
import zwang as zw
from conftest import ROOT

ARROWS = {"LF": (0xE4, 0x57, 0x2E), "RF": (0x2F, 0x6F, 0xDE)}  # colours of the first two constraints


def standing(robot):
    feet = zw.ConstraintSet(robot)
    for foot in ("LF", "RF", "LH", "RH"):
        feet.add_contact(foot, frame=f"{foot}_foot", normal=[0, 0, 1])
    q = robot.neutral()
    solution = zw.Solver(robot, feet).solve(q, robot.zero(), robot.zero())
    return feet, q, solution.multipliers


def scene_of(view):
    return json.loads(re.search(r'<script id="scene" type="application/json">(.*?)</script>', view.html, re.S)[1])


def floats(text):
    return np.frombuffer(base64.b64decode(text), np.float32)


def test_a_page_holds_links_and_forces(dog, tmp_path):
    feet, q, multipliers = standing(dog)
    view = zw.view(dog, q, constraints=feet, multipliers=multipliers, html=tmp_path / "page.html", frames=["LF_foot"], title="stand")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == view.html
    assert len(view.html) < 3_000_000 and view.states == view.shown == 1 and view.notes == []
    scene = scene_of(view)
    assert scene["title"] == "stand" and scene["arrows"] == ["LF", "RF", "LH", "RH"]
    assert [link["name"] for link in scene["links"]] == dog.link_names
    assert [f["name"] for f in scene["frames"] if f["shown"]] == ["LF_foot"]
    assert "<iframe srcdoc=" in view._repr_html_()
    w = zw.constraint_wrenches(feet, q, multipliers)
    np.testing.assert_allclose(floats(scene["forces"]).reshape(4, 9), np.hstack([w.point, w.force, w.moment]), rtol=1e-6, atol=1e-5)
    places = [zw.frame_pose(dog, q, name)[:3, 3] for name in dog.link_names]
    np.testing.assert_allclose(floats(scene["poses"]).reshape(-1, 7)[:, :3], places, atol=1e-6)
    assert not scene_of(zw.view(dog, q, constraints=feet))["arrows"]


def test_motions_are_those_of_trajectories_and_paths():
    bar = zw.load(ROOT / "models" / "four_bar.urdf")
    pin = zw.ConstraintSet(bar)
    pin.add_loop("pin", frames=("rod_end", "crank_pin"), rows={"joint": "hinge", "axis": [0, 0, 1]})
    t = zw.simulate(bar, pin, bar.neutral(), time=0.1, dt=1e-3, integrator="rk4", keep="projection")
    view = zw.view(bar, t, constraints=pin)
    assert view.states == 101 and scene_of(view)["arrows"] == ["pin"]
    arm = zw.load(ROOT / "models" / "arm7.urdf")
    motion = zw.move(arm, arm.neutral(), arm.random(seed=1), acceleration=2)
    assert zw.view(arm, motion).states > 50
    assert zw.view(arm, [arm.random(seed=k) for k in range(5)]).states == 5
    assert zw.view(arm).states == 1
    long = zw.view(arm, np.tile(arm.neutral(), (30000, 1)))
    assert len(long.html) <= 3_000_000 and long.shown < long.states and "of 30000" in long.notes[0]


def test_what_is_refused(dog, tmp_path):
    feet, q, multipliers = standing(dog)
    with pytest.raises(ValueError, match="did you mean 'skeleton'|skeleton"):
        zw.view(dog, q, geometry="skeletton")
    with pytest.raises(ValueError, match="constraints that they belong to"):
        zw.view(dog, q, multipliers=multipliers)
    with pytest.raises(ValueError, match="rows of 1 states"):
        zw.view(dog, q, constraints=feet, multipliers=multipliers[:-1])
    with pytest.raises(ValueError, match="motion"):
        zw.view(dog, q[:-1])
    with pytest.raises(ValueError, match="LF_foot"):
        zw.view(dog, q, frames=["LF_fot"])
    with pytest.raises(OSError):
        zw.view(dog, q, html=tmp_path / "nowhere" / "page.html")


def test_files_of_the_robot_are_not_written_over(tmp_path):
    text = (ROOT / "models" / "arm7.urdf").read_text(encoding="utf-8")
    mesh = '<visual><geometry><mesh filename="part.stl"/></geometry></visual></link>'
    (tmp_path / "arm.urdf").write_text(text.replace("</link>", mesh, 1), encoding="utf-8")
    (tmp_path / "part.stl").write_text("solid part\nendsolid part\n")
    arm = zw.load(tmp_path / "arm.urdf")
    (tmp_path / "link.html").symlink_to("arm.urdf")
    os.link(tmp_path / "arm.urdf", tmp_path / "hard.html")
    (tmp_path / "mesh.html").symlink_to("part.stl")
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    motion = zw.simulate(arm, None, arm.neutral(), time=0.01)
    view = zw.view(zw.Model.from_json(arm.to_json()), arm.neutral())  # a document remembers where it came from
    for place in [*before, "../" + tmp_path.name + "/arm.urdf"]:
        with pytest.raises(ValueError, match="is not written over: give the output another name"):
            zw.view(arm, arm.neutral(), html=tmp_path / place)
        with pytest.raises(ValueError, match="is not written over"):
            view.save(tmp_path / place)
        with pytest.raises(ValueError, match="is not written over"):
            motion.plot(tmp_path / place)
    assert before == {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    view.save(tmp_path / "page.html")
    view.save(tmp_path / "page.html")
    zw.view(zw.loads(text), html=tmp_path / "page.html")


def pixels(path):
    """Of a PNG with 8 bits a channel."""
    data = path.read_bytes()
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert depth == 8 and kind in (2, 6)
    channels = 3 if kind == 2 else 4
    packed, at = b"", 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        packed += data[at + 8 : at + 8 + length] if name == b"IDAT" else b""
        at += 12 + length
    raw = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels)
    out = np.zeros((height, width * channels), np.uint8)
    for y in range(height):
        line, above = raw[y, 1:].astype(int), out[y - 1].astype(int) if y > 0 else np.zeros(width * channels, int)
        if raw[y, 0] == 2:
            line = line + above
        elif raw[y, 0] != 0:
            for x in range(width * channels):
                left = line[x - channels] % 256 if x >= channels else 0
                corner = above[x - channels] if x >= channels else 0
                if raw[y, 0] == 1:
                    guess = left
                elif raw[y, 0] == 3:
                    guess = (left + above[x]) // 2
                else:
                    p = left + above[x] - corner
                    guess = min((abs(p - left), 0, left), (abs(p - above[x]), 1, above[x]), (abs(p - corner), 2, corner))[2]
                line[x] = (line[x] + guess) % 256
        out[y] = line % 256
    return out.reshape(height, width, channels)[:, :, :3].astype(int)


def test_the_picture_shows_robot_and_arrows(dog, tmp_path):
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("there is no Chromium to open the page with")
    feet, q, multipliers = standing(dog)
    counts = {}
    for name, given in {"with": multipliers, "without": None, "empty": None}.items():
        page, image = tmp_path / f"{name}.html", tmp_path / f"{name}.png"
        view = zw.view(dog, q, constraints=feet, multipliers=given)
        scene = scene_of(view)
        for link in scene["links"] if name == "empty" else ():
            link["shapes"] = []
        page.write_text(re.sub(r'(<script id="scene"[^>]*>).*?(</script>)', lambda m: m[1] + json.dumps(scene) + m[2], view.html, flags=re.S), encoding="utf-8")
        done = subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
             "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={tmp_path / 'profile'}", "--window-size=640,420",
             "--virtual-time-budget=8000", f"--screenshot={image}", page.as_uri()],
            capture_output=True, text=True, check=False, env={**os.environ, "HOME": str(tmp_path)},
        )  # fmt: skip
        if not image.exists():
            pytest.skip(f"{browser} gives no picture: {done.stderr.strip().splitlines()[-1:]}")
        x = pixels(image)
        middle = x[40:, :420]  # without the cards
        dark = (middle.sum(axis=2) < 3 * 175).sum()
        hues = {k: ((middle[:, :, np.argmax(c)] - middle[:, :, np.argmin(c)] > 90) & (np.argmax(middle, axis=2) == np.argmax(c))).sum() for k, c in ARROWS.items()}
        counts[name] = dark, hues
    print(counts)
    assert counts["without"][0] > 10 * counts["empty"][0]  # the robot
    for k in ARROWS:
        assert counts["with"][1][k] > counts["without"][1][k]


def test_forces_in_the_world_and_a_live_view(dog):
    feet, q, multipliers = standing(dog)
    w = zw.constraint_wrenches(feet, q, multipliers)
    assert w.names == ["LF", "RF", "LH", "RH"] and w.point.shape == w.force.shape == w.moment.shape == (4, 3)
    assert np.allclose(w.force[:, 2], multipliers[2::3]) and np.allclose(w.moment, 0)
    assert np.allclose(w.point[0], zw.frame_pose(dog, q, "LF_foot")[:3, 3])
    pytest.importorskip("viser", reason="the package viser is not installed")
    live = zw.LiveView(dog, feet, port=0)
    try:
        live.show(q, multipliers)
        live.show(q)
        arm = zw.load(ROOT / "models" / "arm7.urdf")
        motion = zw.move(arm, arm.neutral(), 0.1 * np.ones(7), acceleration=50, velocity=20)
        with pytest.raises(ValueError, match="speed"):
            live.play(motion, speed=0)
        with pytest.raises(ValueError, match="q"):
            live.show(q[:-1])
    finally:
        live.close()
