// SPDX-License-Identifier: BSD-3-Clause
// Robots that are computed while they are shown: live.html?robot=five_bar, ?robot=quadruped, ?robot=own. The motion, the forces and the report
// are zwang's; player.js draws them. A spring leads from the point that is pressed to the pointer.
import { Pace } from "./pace.js";
import { open } from "./zwang.js";

const feet = ["LF_foot", "RF_foot", "LH_foot", "RH_foot"];
const contacts = (more) => feet.map((name) => ({ name, type: "contact", frame: name, tangent: [1, 0, 0], target_point: [0, 0, 0], sense: "at_least", ...more }));

// words: of the motion. report: of the solve whose report is shown, where that of the motion's own rows would not do.
// force: of the longest arrow [N]. hand: stiffness [N/m] and damping [N s/m] of the spring. Or functions of the robot's mass [kg].
const robots = {
  five_bar: {
    words: {
      loops: true, integrator: "rk4", dt: 1 / 480,
      constraints: [{ name: "motors", type: "joint", coordinates: ["left_shoulder", "right_shoulder"], target: [0, 0], role: "driver", limit: 0.8,
        baumgarte: { time_constant: 0.15 } }],
    },
    force: 12, hand: [40, 0.6],
  },
  quadruped: {
    words: { root: "floating", integrator: "contact", dt: 1 / 480, scene: {}, constraints: contacts({ friction: 0.7 }) },
    report: { root: "floating", constraints: contacts({ baumgarte: { time_constant: 0.05 } }) },
    hold: [300, 8], stands: true, force: 250, hand: [500, 40],
  },
  own: {  // a file of the reader's: it hangs on its root, its motors rest
    words: { root: "fixed", loops: true, integrator: "rk4", dt: 1 / 480 },
    force: (mass) => 50 * mass, hand: (mass) => [30 * mass, 2 * mass],
  },
};

const element = (tag, attributes, parent, text) => {
  const e = Object.assign(document.createElement(tag), attributes);
  if (text !== undefined) e.textContent = text;
  parent.append(e);
  return e;
};

/// The robot at the start of its motion.
function begin(zwang, text, setup) {
  const motion = zwang.load(text, setup.words), judge = setup.report ? zwang.load(text, setup.report) : motion;
  if (setup.stands) {  // lowered until its feet touch the ground
    const links = motion.describe().links.map((link) => link.name), poses = motion.poses;
    motion.q[2] -= Math.min(...feet.map((foot) => poses[7 * links.indexOf(foot) + 2]));
  }
  if (setup.hold) motion.hold(...setup.hold);
  if (setup.hold && judge !== motion) {
    judge.q = motion.q;
    judge.hold(...setup.hold);
  }
  const start = motion.q.slice();
  motion.start();
  const first = motion.state();
  return { motion, judge, start, active: {}, time: first.time, status: first.status === "ok" ? "ok" : first.reason };
}

/// What the solve at the present state says.
function judged(live) {
  const { motion, judge } = live;
  if (judge !== motion) {
    const pushing = new Set(motion.state().contacts.filter((c) => c.what === "contact" && c.kind !== "open").map((c) => c.row));
    feet.forEach((foot, k) => { live.active[foot] = pushing.has(3 * k); });
    for (const foot of feet) judge.activate(foot, live.active[foot]);
    judge.q = motion.q;
    judge.v = motion.v;
    return judge.solve().report;
  }
  return motion.solve().report;
}

const kept = "zwang own robot";  // the text of a file, until the tab is closed
async function textOf(name) {
  if (name === "own") {
    const text = sessionStorage.getItem(kept);
    if (text === null) throw new Error("choose a file of a robot: URDF, SDF, MJCF, or a document");
    return text;
  }
  const answer = await fetch(`${name}.urdf`);
  if (!answer.ok) throw new Error(`${name}.urdf cannot be read (${answer.status})`);
  return answer.text();
}

/// A file is dropped on the page, or found in a dialogue. What zwang refuses in it is shown, and the robot that is there stays.
function takeFiles(zwang, bar) {
  const files = element("input", { type: "file", accept: ".urdf,.sdf,.xml,.mjcf,.json", hidden: true }, bar);
  element("button", { title: "a robot of yours: a file, or drop it on the page", ariaLabel: "a robot of yours" }, bar, "\u2026").addEventListener("click", () => files.click());
  const take = async (file) => {
    try {
      const text = await file.text();
      const trial = zwang.load(text, robots.own.words);
      try {
        trial.picture();
        trial.start();
        const first = trial.state();
        if (first.status !== "ok") throw new Error(first.reason);
      } finally {
        trial.close();
      }
      sessionStorage.setItem(kept, text);
      location.search = "?robot=own";
    } catch (error) {
      document.getElementById("refused")?.remove();
      const card = element("div", { id: "refused", className: "card" }, document.body, `${file.name}: ${error.message.replaceAll(/\brobot\.(xml|json):/g, "line ")}`);
      element("button", { title: "close", ariaLabel: "close" }, card, "\u00d7").addEventListener("click", () => card.remove());
    }
  };
  files.addEventListener("change", () => {
    if (files.files.length > 0) take(files.files[0]);
    files.value = "";
  });
  document.addEventListener("dragover", (e) => e.preventDefault());
  document.addEventListener("drop", (e) => {
    e.preventDefault();
    if (e.dataTransfer.files.length > 0) take(e.dataTransfer.files[0]);
  });
}

const portion = 8;      // steps between two looks at the clock
const mostWork = 50;    // [ms] of steps in one frame; what is left over comes with the next one
const tellEvery = 100;  // [ms] between two reports

async function main() {
  const name = new URLSearchParams(location.search).get("robot") ?? "five_bar";
  const bar = element("div", { id: "bar", className: "card" }, document.body);
  const pick = element("select", { title: "robot", ariaLabel: "robot" }, bar);
  for (const key of Object.keys(robots)) if (key !== "own" || name === key) element("option", { value: key }, pick, key === "own" ? "your file" : key.replace("_", " "));
  pick.value = name;
  pick.addEventListener("change", () => { location.search = "?robot=" + pick.value; });
  const zwang = await open();
  takeFiles(zwang, bar);
  if (!Object.hasOwn(robots, name)) throw new Error(`there is no robot '${name}' here: ${Object.keys(robots).join(", ")}`);
  const text = await textOf(name), setup = { ...robots[name] };

  // took: milliseconds of steps, reports and pictures, which are shown to who measures, and decide nothing
  const dt = setup.words.dt, took = { steps_ms: 0, reports_ms: 0, pictures_ms: 0 };
  const begun = begin(zwang, text, setup), { mass } = begun.motion.describe();
  for (const key of ["force", "hand"]) if (typeof setup[key] === "function") setup[key] = setup[key](mass);
  const live = { ...begun, frames: 0, steps: 0, reports: 0, pulled: null, paused: false, report: null, zwang, pace: new Pace(dt), took };
  const sessions = () => new Set([live.motion, live.judge]);
  let news = true;  // something else than time has changed: a hand, a pause, a new beginning
  const changed = () => { news = true; wake(); };
  const pull = () => {
    for (const one of sessions()) one.pull(live.pulled.link, live.pulled.point, live.pulled.target, ...setup.hand);
  };
  const player = zwangPlayer(live.motion.picture(), {
    force: setup.force,
    grab(link, point, place) { live.pulled = { link, point, target: place }; pull(); changed(); },
    drag(place) {
      live.pulled.target = place;
      pull();
      if (live.paused) changed();
    },
    release() {
      live.pulled = null;
      for (const one of sessions()) one.release();
      changed();
    },
  });
  if (!player) return;  // the page says why

  const hold = element("button", { title: "pause and go on (space)", ariaLabel: "pause and go on" }, bar, "\u275a\u275a");
  const again = element("button", { title: "from the start (R)", ariaLabel: "from the start" }, bar, "\u21bb");
  const clock = element("output", {}, bar);
  element("span", { className: "hint" }, bar, "press on a body and drag it");
  const pause = (on) => {
    live.paused = on;
    live.pace.rest();
    hold.textContent = on ? "\u25b6" : "\u275a\u275a";
    changed();
  };
  const restart = () => {
    const before = sessions();
    Object.assign(live, begin(zwang, text, setup));
    for (const one of before) one.close();
    if (live.pulled) pull();  // the hand is still there
    live.pace.rest();
    changed();
  };
  hold.addEventListener("click", () => pause(!live.paused));
  again.addEventListener("click", restart);
  zwangKeys({ " ": () => pause(!live.paused), r: restart });
  document.addEventListener("visibilitychange", () => live.pace.rest());

  const timed = (what, act) => {
    const from = performance.now();
    try {
      return act();
    } finally {
      took[what + "_ms"] += performance.now() - from;
    }
  };
  /// So many steps, or as many as there is time for.
  const move = (count) => {
    const until = performance.now() + mostWork;
    let done = 0;
    while (done < count && live.status === "ok" && (done === 0 || performance.now() < until)) {
      const wanted = Math.min(portion, count - done), went = live.motion.step(wanted);
      done += went;
      if (went < wanted) live.status = live.motion.state().reason;
    }
    live.steps += done;
    live.time = live.motion.state().time;
    return done;
  };
  let told = -Infinity, dropped = 0;
  const tell = (stamp, stands) => {
    told = stamp;
    const moving = live.motion.multipliers.slice();  // of the last step; the solve may write over them
    live.report = judged(live);
    const lambda = stands ? live.judge.multipliers.slice() : moving;
    ++live.reports;
    live.force = Math.hypot(...live.judge.arrows.slice(-6, -3));
    const hand = live.pulled ? `The hand pulls ${live.pulled.link} with ${live.force.toFixed(1)} N. ` : "";
    player.tell({ lambda, report: live.status === "ok" ? hand + live.report.text : live.status });
    clock.textContent = `${live.time.toFixed(2)} s${live.pace.dropped > dropped ? ", slower than real time" : ""}`;
    dropped = live.pace.dropped;
  };
  const advance = (stamp) => {
    let done = 0;
    if (!live.paused && live.status === "ok") {
      const due = live.pace.due(stamp / 1000);
      if (due > 0) done = timed("steps", () => move(due));
      live.pace.took(done);
    }
    if (done === 0 && !news) return;  // what is shown is what is there
    let arrows = live.motion.arrows.slice();
    if (news || stamp - told >= tellEvery || live.status !== "ok") {
      timed("reports", () => tell(stamp, done === 0));
      if (done === 0) arrows = live.judge.arrows.slice();  // of the state that stands still, with the hand as it is now
    }
    news = false;
    timed("pictures", () => player.show({ poses: live.motion.poses, forces: arrows }));
    ++live.frames;
  };
  let awake = false;
  const frame = (stamp) => {
    awake = false;
    try {
      advance(stamp);
    } catch (error) {
      zwangFault(error.message);
      return;
    }
    if (!live.paused && live.status === "ok") wake();
  };
  function wake() {
    if (awake || live.fault) return;  // after a fault nothing goes on
    awake = true;
    requestAnimationFrame(frame);
  }
  window.zwangLive = Object.assign(live, window.zwangLive, { player, setup, look: () => judged(live) });
  wake();
}

main().catch((error) => zwangFault(error.message));
