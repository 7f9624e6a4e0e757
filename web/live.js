// SPDX-License-Identifier: BSD-3-Clause
// Robots that are computed while they are shown: live.html?robot=five_bar, ?robot=quadruped. The motion, the forces and the report are
// zwang's; player.js draws them. A spring leads from the point that is pressed to the pointer.
import { open } from "./zwang.js";

const feet = ["LF_foot", "RF_foot", "LH_foot", "RH_foot"];
const contacts = (more) => feet.map((name) => ({ name, type: "contact", frame: name, tangent: [1, 0, 0], target_point: [0, 0, 0], sense: "at_least", ...more }));

// words: of the motion. report: of the solve whose report is shown, where that of the motion's own rows would not do.
// force: of the longest arrow [N]. hand: stiffness [N/m] and damping [N s/m] of the spring.
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
  return { motion, judge, start, active: {} };
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

async function main() {
  const name = new URLSearchParams(location.search).get("robot") ?? "five_bar", setup = robots[name];
  if (!setup) throw new Error(`there is no robot '${name}' here: ${Object.keys(robots).join(", ")}`);
  const answer = await fetch(`${name}.urdf`);
  if (!answer.ok) throw new Error(`${name}.urdf cannot be read (${answer.status})`);
  const [zwang, text] = [await open(), await answer.text()];

  const live = { ...begin(zwang, text, setup), frames: 0, steps: 0, pulled: null, status: "ok", report: null, zwang };
  const dt = setup.words.dt;
  const pull = () => {
    for (const one of new Set([live.motion, live.judge])) one.pull(live.pulled.link, live.pulled.point, live.pulled.target, ...setup.hand);
  };
  const player = zwangPlayer(live.motion.picture(), {
    force: setup.force,
    grab(link, point, place) { live.pulled = { link, point, target: place }; pull(); },
    drag(place) { live.pulled.target = place; pull(); },
    release() {
      live.pulled = null;
      for (const one of new Set([live.motion, live.judge])) one.release();
    },
  });
  if (!player) return;  // the page says why
  const bar = element("div", { id: "bar", className: "card" }, document.body);
  const pick = element("select", { title: "robot", ariaLabel: "robot" }, bar);
  for (const key of Object.keys(robots)) element("option", { value: key, selected: key === name }, pick, key.replace("_", " "));
  pick.addEventListener("change", () => { location.search = "?robot=" + pick.value; });
  const again = element("button", { title: "from the start", ariaLabel: "from the start" }, bar, "\u21bb");
  const clock = element("output", {}, bar);
  element("span", {}, bar, "press on a body and drag it");
  again.addEventListener("click", () => {
    live.pulled = null;
    Object.assign(live, begin(zwang, text, setup), { status: "ok" });
  });

  let last = null, due = 0;
  const advance = (stamp) => {
    due += last === null ? dt : Math.min((stamp - last) / 1000, 0.1);
    last = stamp;
    const count = Math.floor(due / dt);
    due -= count * dt;
    if (live.status === "ok" && count > 0) {
      const done = live.motion.step(count);
      live.steps += done;
      if (done < count) live.status = live.motion.state().reason;
    }
    const lambda = live.motion.multipliers.slice(), forces = live.motion.arrows.slice(), pulled = forces.slice(-6, -3);
    live.report = judged(live);
    live.force = Math.hypot(...pulled);
    clock.textContent = `${live.motion.state().time.toFixed(2)} s`;
    const hand = live.pulled ? `The hand pulls ${live.pulled.link} with ${live.force.toFixed(1)} N. ` : "";
    player.show({ poses: live.motion.poses, forces, lambda, report: live.status === "ok" ? hand + live.report.text : live.status });
    ++live.frames;
  };
  const frame = (stamp) => {
    try {
      advance(stamp);
    } catch (error) {
      zwangFault(error.message);  // nothing goes on
      return;
    }
    requestAnimationFrame(frame);
  };
  window.zwangLive = Object.assign(live, { player, setup });
  requestAnimationFrame(frame);
}

main().catch((error) => zwangFault(error.message));
