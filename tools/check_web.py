#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tries what tools/build_web.sh has built: the tests of the JavaScript face in Node, and the page with its robots in a headless Chromium.

    tools/check_web.py [--size] [--pictures FOLDER] [build/web/site]

The page runs for a number of frames; a mouse drags a link of each robot, then a finger does. Looked at: steps go on and keep the pace of the
clock that the page has read, a frame draws no more than so much and a report is not made for each, the hand pulls, report and forces change,
accelerations and multipliers are those of `build/bin/zwang solve` for the same state; pause, restart, keys, another size; files with mistakes;
that nothing goes on after a fault; and that nothing is asked of a network. --size: the sizes of the module alone. Frames and steps a second and
milliseconds are printed and decide nothing. Where there is no module, or one of other sources, the tests in Node that need none are all that runs,
and the exit code is 77, with the reason.
"""
import argparse
import functools
import gzip
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

import chromium
import web_sources
from sources import ROOT

_MISSING = 77
_MOST = 3_000_000  # bytes that a browser fetches, compressed
_FRAMES = 40
# Of the largest acceleration and the largest multiplier. The module has other kernels (registers of two doubles, no fused multiplication), so
# that roundings differ: a few thousand of them, of sums whose condition is below a thousand.
_SAME = 1e5 * sys.float_info.epsilon
# What a frame may draw. Of both robots the quadruped has most: 17 bodies and up to five arrows, each drawn once more for the shadows.
_WORK = {"calls": 80, "triangles": 40_000, "lines": 8_000}
_TELL = 0.1  # [s] between two reports
_ROBOTS = {"five_bar": ("tool", (150, -30)), "quadruped": ("trunk", (120, -110))}  # the link that is dragged, and how far [pixels]
# A look is 10 ms or more. A page that works needs some hundreds of them on a busy machine; one that stands still is told after so many.
_LOOKS = 100_000
_WAIT = f"const mostLooks = {_LOOKS};" + """
const wait = async (test, what) => {
  for (let looks = 0; !test(); ++looks) {
    if (window.zwangLive?.fault) throw new Error(zwangLive.fault);
    if (looks === mostLooks) throw new Error(`looked ${looks} times, and there is still no ${what}`);
    await new Promise(done => setTimeout(done, 10));
  }
  if (window.zwangLive?.fault) throw new Error(zwangLive.fault);
};
await wait(() => window.zwangLive, "robot");
const frames = async (count) => { const from = zwangLive.done.pictures; await wait(() => zwangLive.done.pictures >= from + count, "frame"); };
const looks = async (count) => { for (let k = 0; k < count; ++k) await new Promise(done => requestAnimationFrame(done)); };
const at = (name) => { const k = zwangLive.motion.describe().links.findIndex(x => x.name === name); return [...zwangLive.motion.poses.slice(7 * k, 7 * k + 3)]; };
"""


class _Server(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript", ".js": "text/javascript",
                      ".wasm": "application/wasm"}

    def log_message(self, *arguments):
        pass


def print_size(site):
    """True where the module is small enough."""
    total = 0
    for name in ("zwang_module.wasm", "zwang_module.mjs", "zwang.js"):
        data = (site / name).read_bytes()
        packed = len(gzip.compress(data, 9))
        total += packed
        print(f"{name}: {len(data) / 1e6:.2f} MB, compressed {packed / 1e6:.2f} MB")
    if total > _MOST:
        print(f"web: the module has {total} bytes compressed, expected at most {_MOST}")
    return total <= _MOST


def hold_torque(setup, description, start, q, v):
    """What hold() asks of the motors, by its definition."""
    tau = [0.0] * description["nv"]
    stiffness, damping = setup.get("hold", (0, 0))
    for joint in description["joints"]:
        if not joint["actuated"] or joint["q"]["size"] != 1:
            continue
        i, k = joint["q"]["first"], joint["v"]["first"]
        asked = stiffness * (start[i] - q[i]) - damping * v[k]
        limit = joint["limits"]["effort"][0]
        tau[k] = max(-limit, min(limit, asked)) if limit else asked
    return tau


def native(zwang, model, words, state, tau, hand):
    """The answer of the program for the same problem."""
    point, force, link = hand
    problem = {"model": str(model), **words, "state": {"q": state["q"], "v": state["v"]}, "tau": tau}
    if link:
        arm = [p - o for p, o in zip(point, state["origin"])]
        moment = [arm[1] * force[2] - arm[2] * force[1], arm[2] * force[0] - arm[0] * force[2], arm[0] * force[1] - arm[1] * force[0]]
        problem["external"] = [{"frame": link, "wrench": [*force, *moment]}]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(problem, file)
        file.flush()
        done = subprocess.run([zwang, "solve", file.name, "--json"], capture_output=True, text=True, check=False)
    if not done.stdout:
        raise RuntimeError(f"zwang solve: {done.stderr.strip()}")
    answer = json.loads(done.stdout)
    return {**answer, "lambda": [x for constraint in answer["constraints"] for x in constraint["lambda"]]}


def _words(text):
    """A report without its numbers: which rows hold, which give way."""
    return re.sub(r"[-+0-9.e]*[0-9][-+0-9.e]*", "", text)


def _is_shown(shown, x):
    """Whether a number in the list of rows is x, to the digits that it is written with."""
    size = abs(x)
    last = 0.01 * size if size >= 1e5 or size < 1e-3 else 1e-3 if size < 10 else 0.1
    return abs(shown - x) <= 0.51 * last + 1e-9


def distance(a, b):
    scale = max(1.0, *map(abs, b)) if b else 1.0
    return max((abs(x - y) for x, y in zip(a, b, strict=True)), default=0.0) / scale


class Look:
    def __init__(self, browser, address, zwang, pictures):
        self.browser, self.address, self.zwang, self.pictures = browser, address, zwang, pictures
        self.problems = []

    def expect(self, holds, what):
        if not holds:
            self.problems.append(what)

    def state(self, link):
        """All of one moment: nothing else of the page runs meanwhile."""
        return self.browser.do(_WAIT + f"""
            await frames(2);
            const live = zwangLive;
            live.look();  // the state as it is now, with the rows that touch
            const s = live.judge.solve(), name = {json.dumps(link)};
            return {{ q: [...live.judge.q], v: [...live.judge.v], start: [...live.start], qdd: s.qdd, lambda: [...live.judge.multipliers],
                      status: s.status, text: s.report.text,
                      arrow: [...live.judge.arrows.slice(-9)], pulled: live.pulled, origin: at(name), about: live.zwang.about,
                      words: live.setup.report ?? live.setup.words, setup: live.setup, active: live.active, says: live.judge.describe(),
                      frames: live.done.pictures, steps: live.done.steps, time: live.motion.state().time, end: live.status,
                      shown: document.getElementById("report").textContent, arrows: [...live.motion.arrows] }};""")

    def compare(self, robot, link, state):
        if self.zwang is None:
            return
        words = {k: v for k, v in state["words"].items() if k not in ("integrator", "dt", "scene")}
        words["constraints"] = [{**c, "active": state["active"].get(c["name"], True)} for c in words["constraints"]]
        tau = hold_torque(state["setup"], state["says"], state["start"], state["q"], state["v"])
        hand = (state["arrow"][:3], state["arrow"][3:6], link if state["pulled"] else None)
        expected = native(self.zwang, ROOT / "models" / f"{robot}.urdf", words, state, tau, hand)
        for key in ("qdd", "lambda"):
            error = distance(state[key], expected[key])
            print(f"{robot}: {key} differs from `zwang solve` by {error:.1e} of the largest")
            self.expect(error <= _SAME, f"{robot}: {key} is {state[key]}, zwang solve says {expected[key]}")
        self.expect(state["status"] == expected["status"], f"{robot}: status {state['status']}, zwang solve says {expected['status']}")

    def paced(self, robot, now):
        """Steps follow the clock that the page has read, and a frame has its share of work and no more: by count."""
        ran, dt, work = now["all"], now["dt"], now["work"]
        seconds = ran["clock"] / 1000
        each = ", ".join(f"{what} {ran[what + '_ms'] / ran['pictures']:.2f}" for what in ("steps", "reports", "pictures"))
        print(f"{robot}: {ran['pictures']} frames, {ran['steps']} steps; timed: {ran['pictures'] / seconds:.1f} frames and {ran['steps'] / seconds:.0f} steps a second; "
              f"of the script's milliseconds in a frame: {each}")
        print(f"{robot}: a frame draws {work['calls']} bodies, {work['triangles']} triangles, {work['lines']} lines on {work['points']} points"
              f"{', without soft edges: the processor draws' if work['plain'] else ''}")
        missing = ran["elapsed"] - ran["steps"] * dt - ran["behind"] - ran["dropped"]
        self.expect(abs(missing) < 1e-6, f"{robot}: of {ran['elapsed']} s that have passed, {missing} s are neither steps nor left over")
        self.expect(ran["steps"] > 0, f"{robot}: it stands still")
        frames = ran["stamp"] / 1000  # their time, with the gaps that are a rest for the motion
        self.expect(ran["reports"] <= frames / _TELL + 1 + 1e-6, f"{robot}: {ran['reports']} reports in {frames} s")
        self.expect(ran["drawn"] == ran["pictures"], f"{robot}: {ran['drawn']} pictures in {ran['pictures']} frames")
        for key, most in _WORK.items():
            self.expect(work[key] <= most, f"{robot}: a frame draws {work[key]} {key}, expected at most {most}")

    def played(self, robot):
        """Pause and restart, by keys and buttons; another size of the window."""
        b = self.browser
        b.key(" ", "Space")
        stood = b.do(_WAIT + """
            await wait(() => zwangLive.paused, "pause");
            await looks(5);
            const of = () => [zwangLive.done.pictures, zwangLive.done.steps, zwangLive.player.work().pictures], before = of();
            await looks(20);
            return [before, of()];""")
        self.expect(stood[0] == stood[1], f"{robot}: in a pause it goes on from {stood[0]} to {stood[1]}")
        b.key("r")  # what the hand does then does not depend on how far the motion has come
        free = b.do(_WAIT + "await looks(5); const { time, done, report } = zwangLive; return [time, done.steps, report.text];")
        self.expect(free[:2] == [0, stood[1][1]], f"{robot}: after R in a pause time and steps of the page are {free[:2]}")
        link, (dx, dy) = _ROBOTS[robot]
        x, y = b.do(_WAIT + f"return zwangLive.player.pixel(at({json.dumps(link)}));")
        b.mouse("mousePressed", x, y)
        b.mouse("mouseMoved", x + dx, y + dy)
        held = b.do(_WAIT + """
            await looks(5);
            const cells = [...document.querySelectorAll("#side td:last-child")].map((x) => Number(x.textContent)), { pulled, force, done, report, judge } = zwangLive;
            judge.solve();
            return [pulled?.link, force, done.steps, document.getElementById("report").textContent, cells, [...judge.multipliers], report.text];""")
        b.mouse("mouseReleased", x + dx, y + dy)
        self.expect(held[0] == link and held[1] > 1 and held[2] == stood[1][1] and held[3].startswith("The hand pulls"),
                    f"{robot}: in a pause the hand pulls {held[0]} with {held[1]} N in step {held[2]}: {held[3]}")
        told = len(held[4]) == len(held[5]) and all(map(_is_shown, held[4], held[5]))
        self.expect(told and any(held[5]), f"{robot}: in a pause the list has {held[4]}, the solve {held[5]}")
        if robot == "five_bar":  # a motor comes to its limit
            self.expect(_words(held[6]) != _words(free[2]), f"{robot}: the report is the same as without the hand: {free[2]}")
        stood[1][2] = b.do(_WAIT + "await looks(5); return zwangLive.player.work().pictures;")
        turned = b.do(_WAIT + "const [x, y] = zwangLive.player.pixel([0.2, 0, 0]); return [x, y];")
        b.key("ArrowLeft")
        b.key("+")
        after = b.do(_WAIT + """await looks(5); const of = zwangLive.player; return [...of.pixel([0.2, 0, 0]), of.work().pictures];""")
        self.expect(distance(after[:2], turned) > 1e-2, f"{robot}: keys do not turn the view")
        self.expect(1 <= after[2] - stood[1][2] <= 2, f"{robot}: {after[2] - stood[1][2]} pictures for two keys")
        again = b.do(_WAIT + """
            const press = (what) => document.querySelector(`#bar button[title^=${what}]`).click();
            press("pause");
            await wait(() => zwangLive.time > 0, "step after the pause");
            press("pause");
            const { steps } = zwangLive.done;
            press("from");
            await looks(5);
            const { time, motion, paused, done } = zwangLive, all = [time, motion.state().steps, paused, done.steps - steps];
            press("pause");
            await wait(() => zwangLive.time > 0, "step from the start");
            return all;""")
        self.expect(again == [0, 0, True, 0], f"{robot}: from the start: time, steps, pause, further steps of the page are {again}")
        for width, height in ((390, 700), (1000, 640)):
            b.size(width, height)
            shape = b.do(_WAIT + f"""
                await wait(() => innerWidth === {width}, "other size");
                await frames(2);
                const box = (x) => x.getBoundingClientRect(), canvas = zwangLive.player.canvas, inside = [...document.querySelectorAll(".card")].map(box);
                const onTop = (x) => document.elementFromPoint((box(x).left + box(x).right) / 2, (box(x).top + box(x).bottom) / 2) === x;
                return [canvas.width, canvas.height, inside.every((x) => x.left >= 0 && x.top >= 0 && x.right <= innerWidth && x.bottom <= innerHeight),
                        [...document.querySelectorAll("#bar button, #bar select")].map(onTop)];""")
            self.expect(shape[:3] == [width, height, True], f"{robot}: at {width} x {height} the picture has {shape[0]} x {shape[1]} points, cards inside: {shape[2]}")
            self.expect(shape[3] == [True] * 4, f"{robot}: at {width} x {height} what is to be pressed is covered: {shape[3]}")
            if self.pictures and width < 500:
                b.picture(self.pictures / f"{robot}_narrow.png")

    def touched(self, robot):
        """A finger drags a body; two come nearer."""
        link, (dx, dy) = _ROBOTS[robot]
        b = self.browser
        x, y = b.do(_WAIT + f"await frames(2); return zwangLive.player.pixel(at({json.dumps(link)}));")
        b.touch("touchStart", (x, y))
        b.touch("touchMove", (x + dx / 2, y + dy / 2))
        b.touch("touchMove", (x + dx, y + dy))
        pulled = b.do(_WAIT + "await frames(5); return [zwangLive.pulled?.link, zwangLive.force];")
        b.touch("touchEnd")
        self.expect(pulled[0] == link and pulled[1] > 1, f"{robot}: a finger on {link} pulls {pulled[0]} with {pulled[1]} N")
        far = "const a = zwangLive.player.pixel([0, 0, 0]), b = zwangLive.player.pixel([0, 0, 1]); return Math.hypot(a[0] - b[0], a[1] - b[1]);"
        before = b.do(_WAIT + "await frames(2); if (zwangLive.pulled) throw new Error('the finger still pulls');" + far)
        b.touch("touchStart", (30, 560))
        b.touch("touchStart", (30, 560), (60, 560))
        b.touch("touchMove", (30, 560), (120, 560))
        b.touch("touchEnd")
        after = b.do(_WAIT + "await frames(2);" + far)
        self.expect(after > 1.5 * before, f"{robot}: two fingers do not bring it nearer: {before} and {after} pixels")

    def mistaken(self):
        """A file of the reader's: with a mistake zwang's sentence is shown and the robot goes on; a good one is there afterwards. An unknown name."""
        b = self.browser
        give = """
            const give = (name, text) => {
              const data = new DataTransfer();
              data.items.add(new File([text], name));
              document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
            };"""
        arm = (ROOT / "models/arm7.urdf").read_text()
        far = re.sub(r'(<joint name="right_wrist" type="continuous">\s*<origin xyz=")0.275', r"\g<1>5", (ROOT / "models/five_bar.urdf").read_text())
        for text, says in ((arm.replace("<mass value=", "<mass valeu=", 1), "mass"), (arm[: len(arm) // 2], "arm.urdf:"), ("", "text of a robot"),
                           (far, "cannot be brought back to the constraints")):  # which is read, and cannot start
            shown = b.do(_WAIT + give + f"""
                document.getElementById("refused")?.remove();
                give("arm.urdf", {json.dumps(text)});
                await wait(() => document.getElementById("refused"), "message");
                const said = document.getElementById("refused").textContent;
                await frames(3);
                return said;""")
            print(f"a file with a mistake: {shown}")
            self.expect(says in shown and shown.startswith("arm.urdf:"), f"a file with a mistake: {shown}")
        if self.pictures:
            b.picture(self.pictures / "refused.png")
        b.do(_WAIT + give + f"give('arm.urdf', {json.dumps(arm)});")
        own = b.do(f"""
            for (let looks = 0; looks < {_LOOKS} && !(location.search === "?robot=own" && window.zwangLive?.done?.steps > 20); ++looks) {{
              if (window.zwangLive?.fault) throw new Error(zwangLive.fault);
              await new Promise((done) => setTimeout(done, 10));
            }}
            return [zwangLive.motion.q.length, zwangLive.status, zwangLive.setup.hand];""") if self.arrived("?robot=own") else None
        self.expect(own is not None and own[0] == 7 and own[1] == "ok" and own[2][0] > 1, f"a file of an arm: {own}")
        if self.pictures:
            b.picture(self.pictures / "own.png")
        self.faulty()
        b.open(f"{self.address}/live.html?robot=six_bar")
        self.arrived("?robot=six_bar")
        fault = b.do(f"""
            for (let looks = 0; looks < {_LOOKS} && !window.zwangLive?.fault; ++looks) await new Promise((done) => setTimeout(done, 10));
            return zwangLive.fault;""")
        self.expect("six_bar" in fault and "five_bar" in fault, f"an unknown robot: {fault}")

    def faulty(self):
        """After a fault nothing goes on, whatever is pressed; the page says what it is."""
        b = self.browser
        steps = b.do(_WAIT + "await frames(2); zwangFault('a mistake'); return zwangLive.done.steps;")
        b.key(" ", "Space")
        b.key("r")
        b.key("ArrowLeft")
        after = b.do("""
            for (let k = 0; k < 20; ++k) await new Promise((done) => requestAnimationFrame(done));
            const { done, motion, fault } = zwangLive;
            return [done.steps, motion.state().steps, fault, document.getElementById("fault").textContent];""")
        self.expect(after == [steps, 0, "a mistake", "a mistake"], f"after a fault in step {steps}: {after}")

    def arrived(self, query):
        """Whether the page has come to an address of its own accord. A script ends with the page that it runs in."""
        there = f"location.search === {json.dumps(query)} && document.readyState !== 'loading'"
        for _ in range(_LOOKS):
            try:
                if self.browser.do(f"await new Promise((done) => setTimeout(done, 20)); return {there};"):
                    return True
            except RuntimeError:
                pass
        return False

    def drag(self, robot):
        link, (dx, dy) = _ROBOTS[robot]
        b = self.browser
        b.open(f"{self.address}/live.html?robot={robot}")
        now = b.do(_WAIT + f"""
            await frames(5);
            const count = () => {{
              const {{ done, pace, stamp, player }} = zwangLive;
              return {{ ...done, elapsed: pace.elapsed, behind: pace.behind, dropped: pace.dropped, stamp, clock: performance.now(),
                        drawn: player.work().pictures }};
            }};
            const from = count();
            await frames({_FRAMES});
            const to = count(), all = Object.fromEntries(Object.keys(to).map((key) => [key, to[key] - from[key]]));
            return {{ all, to, dt: zwangLive.setup.words.dt, work: zwangLive.player.work() }};""")
        self.paced(robot, now)
        work = b.do(_WAIT + """
            const live = zwangLive, from = performance.now();
            for (let k = 0; k < 240; ++k) live.motion.step(1);
            const stepped = performance.now();
            for (let k = 0; k < 30; ++k) live.judge.solve();
            return [(stepped - from) / 240, (performance.now() - stepped) / 30];""")
        print(f"{robot}: timed: a step {1000 * work[0]:.0f} us, a solve with its report {1000 * work[1]:.0f} us")
        before = self.state(link)
        self.expect(before["about"]["lanes"] == 2, "registers do not hold two doubles")
        self.expect(before["end"] == "ok" and before["frames"] > _FRAMES and before["steps"] > 0, f"{robot}: it does not move: {before['end']}")
        self.compare(robot, link, before)
        if self.pictures:
            b.picture(self.pictures / f"{robot}.png")
        x, y = b.do(_WAIT + f"return zwangLive.player.pixel(at({json.dumps(link)}));")
        b.mouse("mouseMoved", x, y)
        b.mouse("mousePressed", x, y)
        for k in range(1, 7):
            b.mouse("mouseMoved", x + dx * k / 6, y + dy * k / 6)
            b.do(_WAIT + "await frames(3);")
        b.do(_WAIT + "await frames(10);")
        pulled = self.state(link)
        if self.pictures:
            b.picture(self.pictures / f"{robot}_dragged.png")
        self.expect(pulled["pulled"] is not None, f"{robot}: no body was grabbed at {x:.0f}, {y:.0f}")
        if pulled["pulled"]:
            self.expect(pulled["pulled"]["link"] == link, f"{robot}: {pulled['pulled']['link']} was grabbed, expected {link}")
            size = sum(f * f for f in pulled["arrow"][3:6]) ** 0.5
            print(f"{robot}: the hand pulls with {size:.1f} N")
            self.expect(size > 1, f"{robot}: the hand pulls with {size} N")
            self.expect(pulled["shown"].startswith("The hand pulls"), f"{robot}: the page does not say that a hand pulls: {pulled['shown']}")
            self.expect(distance(pulled["lambda"], before["lambda"]) > 1e-3, f"{robot}: forces are the same as without the hand")
            self.expect(pulled["end"] == "ok", f"{robot}: {pulled['end']}")
            self.compare(robot, link, pulled)
        b.mouse("mouseReleased", x + dx, y + dy)
        after = self.state(link)
        self.expect(after["pulled"] is None and not any(after["arrow"][3:6]), f"{robot}: the hand still pulls")
        print(f"{robot}: {after['text']}")


def look(site, zwang, pictures):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Server, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    problems = []
    for robot in _ROBOTS:  # a browser for each: fingers that are sent by the protocol reach the first page alone
        with chromium.Chromium(chromium.find(), 1000, 640) as browser:
            one = Look(browser, address, zwang, pictures)
            one.drag(robot)
            one.played(robot)
            one.touched(robot)
            if robot == "quadruped":
                one.mistaken()
            problems += one.problems
            problems += [f"asked of the network: {url}" for url in browser.asked if not url.startswith((address, "data:", "blob:"))]
            problems += [f"in the console: {text}" for text in browser.said]
    server.shutdown()
    return problems


def why_missing(site):
    """Why there is no module to try, or nothing."""
    if not (site / "zwang_module.wasm").is_file():
        return "holds none: tools/build_web.sh && tools/check_web.py (minutes of emscripten)"
    return "" if web_sources.of_module(site) == web_sources.of_tree() else "was built from other sources: tools/build_web.sh"


def tried(module):
    """Whether the tests in Node pass: all of them, or without a module those that take none."""
    node = shutil.which("node") or shutil.which("nodejs")
    if not node:
        print("SKIPPED: tests of the JavaScript face: there is no Node")
        return True
    tests = [p for p in sorted((ROOT / "tests/web").glob("*_test.mjs")) if module or "face.mjs" not in p.read_text(encoding="utf-8")]
    return subprocess.run([node, "--test", *map(str, tests)], check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", action="store_true")
    parser.add_argument("--pictures", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("site", type=pathlib.Path, nargs="?", default=ROOT / "build/web/site")
    setup = parser.parse_args()
    missing = why_missing(setup.site)
    if missing:
        passed = setup.size or tried(module=False)
        print(f"SKIPPED: the module for browsers: {setup.site} {missing}")
        return _MISSING if passed else 1
    small = print_size(setup.site)
    if setup.size:
        return 0 if small else 1
    problems = [] if small else ["the module is too large"]
    if not tried(module=True):
        problems.append("tests of the JavaScript face have failed")
    zwang = ROOT / "build/bin/zwang"
    if not zwang.is_file():
        print("SKIPPED: comparison with the program: build/bin/zwang is not built (make run)")
        zwang = None
    if chromium.find():
        if setup.pictures:
            setup.pictures.mkdir(parents=True, exist_ok=True)
        problems += look(setup.site, zwang, setup.pictures)
    else:
        print("SKIPPED: the page in a browser: there is no Chromium (tools/install_dependencies.sh pictures)")
    print("\n".join(problems) if problems else "web: ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
