// SPDX-License-Identifier: BSD-3-Clause
// The robots of the page "Try it", and how one of them moves while it is shown. Nothing here needs a page: live.js has it, and tests have none.
//
//   const live = new LiveRobot(zwang, text, robots.five_bar, screen);
//   live.wake();
//
// screen: what a robot needs of a page.
//   ask(frame)                      calls frame(stamp) [ms] once, when it is time for a picture
//   show({ poses, forces })         draws one
//   tell({ lambda, report, time })  numbers of the rows and two texts
//   fault(message)                  says what has gone wrong
//   now()                           [ms] of a clock
import { Pace } from "./pace.js";

const feet = ["LF_foot", "RF_foot", "LH_foot", "RH_foot"];
const contacts = (more) => feet.map((name) => ({ name, type: "contact", frame: name, tangent: [1, 0, 0], target_point: [0, 0, 0], sense: "at_least", ...more }));

// words: of the motion. report: of the solve whose report is shown, where that of the motion's own rows would not do.
// force: of the longest arrow [N]. hand: stiffness [N/m] and damping [N s/m] of the spring. Or functions of the robot's mass [kg].
export const robots = {
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

/// Throws where a robot cannot be read, drawn or started.
export function tryOut(zwang, text, words) {
  const trial = zwang.load(text, words);
  try {
    trial.picture();
    trial.start();
    const { status, reason } = trial.state();
    if (status !== "ok") throw new Error(reason);
  } finally {
    trial.close();
  }
}

/// A robot at the start of its motion: `motion` moves, `judge` has the solve whose report is shown.
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
  const { time, status, reason } = motion.state();
  return { motion, judge, start, active: {}, time, status: status === "ok" ? "ok" : reason };
}

const portion = 8;      // steps between two looks at the clock
const mostWork = 50;    // [ms] of steps in one frame; what is left over comes with the next one
const tellEvery = 100;  // [ms] between two reports

export class LiveRobot {
  // Of the motion: motion, judge, start (its q), active (feet that touch), time [s], status ("ok", or why it has ended). A restart makes them anew.
  // Of the page: `done` counts pictures, steps and reports, and the milliseconds that they took, which decide nothing. It only grows, also by a
  // restart, as the pace does: pace.elapsed = done.steps dt + pace.behind + pace.dropped.
  done = { pictures: 0, steps: 0, reports: 0, pictures_ms: 0, steps_ms: 0, reports_ms: 0 };
  pulled = null;  // by the hand: { link, point, target }
  paused = false;
  fault = null;
  report = null;    // of the last solve that was told
  force = 0;        // [N] of the hand in it
  stamp = null;     // [ms] of the last frame
  #text;
  #screen;
  #asked = false;
  #news = true;     // something else than time has changed: a hand, a pause, a new beginning
  #told = -Infinity;
  #dropped = 0;     // when it was told

  constructor(zwang, text, setup, screen) {
    this.zwang = zwang;
    this.setup = { ...setup };
    this.pace = new Pace(setup.words.dt);
    this.#text = text;
    this.#screen = screen;
    Object.assign(this, begin(zwang, text, setup));
    const { mass } = this.motion.describe();
    for (const key of ["force", "hand"]) if (typeof setup[key] === "function") this.setup[key] = setup[key](mass);
  }

  /// Whether time goes on.
  get moves() { return !this.paused && this.status === "ok"; }

  pause(on) {
    this.paused = on;
    this.pace.rest();
    this.#changed();
  }
  /// From the start. A pause stays one, and a hand holds on.
  restart() {
    const before = this.#sessions();
    Object.assign(this, begin(this.zwang, this.#text, this.setup));
    for (const one of before) one.close();
    if (this.pulled) this.#pull();
    this.pace.rest();
    this.#changed();
  }
  /// A hand at a point of a link, in its frame; places are in the world.
  grab(link, point, place) {
    this.pulled = { link, point, target: place };
    this.#pull();
    this.#changed();
  }
  drag(place) {
    this.pulled.target = place;
    this.#pull();
    if (!this.moves) this.#changed();
  }
  release() {
    this.pulled = null;
    for (const one of this.#sessions()) one.release();
    this.#changed();
  }

  /// Asks for a frame, where none is asked for. After a fault nothing goes on.
  wake() {
    if (this.#asked || this.fault) return;
    this.#asked = true;
    this.#screen.ask((stamp) => {
      this.#asked = false;
      if (this.fault) return;  // something else has failed meanwhile
      try {
        this.#advance(stamp);
      } catch (error) {
        this.#screen.fault(error.message);
        this.fault ??= error.message;
      }
      if (this.moves) this.wake();
    });
  }

  /// What the solve at the present state says.
  look() {
    const { motion, judge } = this;
    if (judge !== motion) {
      const pushing = new Set(motion.state().contacts.filter((c) => c.what === "contact" && c.kind !== "open").map((c) => c.row));
      feet.forEach((foot, k) => { this.active[foot] = pushing.has(3 * k); });
      for (const foot of feet) judge.activate(foot, this.active[foot]);
      judge.q = motion.q;
      judge.v = motion.v;
    }
    return judge.solve().report;
  }

  #sessions() { return new Set([this.motion, this.judge]); }
  #changed() {
    this.#news = true;
    this.wake();
  }
  #pull() {
    const { link, point, target } = this.pulled;
    for (const one of this.#sessions()) one.pull(link, point, target, ...this.setup.hand);
  }
  #timed(what, act) {
    const from = this.#screen.now();
    try {
      return act();
    } finally {
      this.done[what + "_ms"] += this.#screen.now() - from;
    }
  }
  /// So many steps, or as many as there is time for.
  #move(count) {
    const until = this.#screen.now() + mostWork;
    let went = 0;
    while (went < count && this.status === "ok" && (went === 0 || this.#screen.now() < until)) {
      const wanted = Math.min(portion, count - went), some = this.motion.step(wanted);
      went += some;
      if (some < wanted) this.status = this.motion.state().reason;
    }
    this.done.steps += went;
    this.time = this.motion.state().time;
    return went;
  }
  #tell(stands) {
    const moving = this.motion.multipliers.slice();  // of the last step; the solve may write over them
    this.report = this.look();
    const lambda = stands ? this.judge.multipliers.slice() : moving;
    ++this.done.reports;
    this.#told = this.stamp;
    this.force = Math.hypot(...this.judge.arrows.slice(-6, -3));
    const hand = this.pulled ? `The hand pulls ${this.pulled.link} with ${this.force.toFixed(1)} N. ` : "";
    const slow = this.pace.dropped > this.#dropped ? ", slower than real time" : "";
    this.#dropped = this.pace.dropped;
    this.#screen.tell({ lambda, report: this.status === "ok" ? hand + this.report.text : this.status, time: `${this.time.toFixed(2)} s${slow}` });
  }
  #advance(stamp) {
    let went = 0;
    this.stamp = stamp;
    if (this.moves) {
      const due = this.pace.due(stamp / 1000);
      if (due > 0) went = this.#timed("steps", () => this.#move(due));
      this.pace.took(went);
    }
    if (went === 0 && !this.#news) return;  // what is shown is what is there
    let forces = this.motion.arrows.slice();
    if (this.#news || stamp - this.#told >= tellEvery || this.status !== "ok") {
      this.#timed("reports", () => this.#tell(went === 0));
      if (went === 0) forces = this.judge.arrows.slice();  // of the state that stands still, with the hand as it is now
    }
    this.#news = false;
    this.#timed("pictures", () => this.#screen.show({ poses: this.motion.poses, forces }));
    ++this.done.pictures;
  }
}
