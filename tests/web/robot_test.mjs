// SPDX-License-Identifier: BSD-3-Clause
// Laws of the robots of the page "Try it", without the page: node --test tests/web/robot_test.mjs. Frames come when the test says so.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LiveRobot, robots, tryOut } from "../../web/robot.js";
import { model, start } from "./face.mjs";

const zwang = await start();
const dt = 1 / 480;
/// A robot and the page that it moves on. run(count, gap): so many frames, each a gap [s] after the one before, where they are asked for; it says how
/// many came: ten steps for each. shown and told: what has been drawn and said; clock: [ms] that pass whenever the time is looked at.
function page(name, text = model(`${name}.urdf`)) {
  const asked = [], shown = [], told = [], faults = [], all = { asked, shown, told, faults, stamp: 5, clock: 0, now: 0 };
  const screen = {
    ask: (frame) => asked.push(frame),
    show: ({ poses, forces }) => shown.push({ poses: poses.slice(), forces: forces.slice() }),
    tell: (state) => told.push(state),
    fault: (message) => faults.push(message),
    now: () => (all.now += all.clock),
  };
  const live = new LiveRobot(zwang, text, robots[name], screen);
  const run = (count, gap = 1 / 48) => {
    let came = 0;
    for (; came < count && asked.length > 0; ++came) asked.shift()((all.stamp += gap) * 1000);
    return came;
  };
  live.wake();
  return Object.assign(all, { live, screen, run });
}
/// Of all robots the links that are pulled, and to where from where they are.
const hands = { five_bar: ["tool", [0.06, 0, 0.03]], quadruped: ["trunk", [0, 0.1, 0.2]] };
const pull = (live, name) => {
  const [link, by] = hands[name], k = live.motion.describe().links.findIndex((x) => x.name === link), place = [...live.motion.poses.slice(7 * k, 7 * k + 3)];
  live.grab(link, [0, 0, 0], place);
  live.drag(place.map((x, i) => x + by[i]));
};
const addsUp = ({ pace, done }) => assert.ok(Math.abs(pace.elapsed - done.steps * dt - pace.behind - pace.dropped) < 1e-9);
const far = model("five_bar.urdf").replace(/(<joint name="right_wrist" type="continuous">\s*<origin xyz=")0.275/, "$15");  // a bar that ends 5 m away

for (const name of ["five_bar", "quadruped"]) {
  test(`${name}: it moves with the clock, and says what its solves say ten times a second`, () => {
    const { live, shown, told, run, asked } = page(name);
    assert.equal(run(49), 49);
    assert.equal(asked.length, 1, "one frame is asked for at a time");
    assert.deepEqual([live.done.pictures, live.done.steps, live.motion.state().steps, live.status], [49, 480, 480, "ok"]);
    assert.ok(Math.abs(live.time - 1) < 1e-9 && shown.length === 49);
    assert.deepEqual([told.length, live.done.reports], [10, 10]);
    assert.equal(told[9].time, "0.94 s");
    assert.equal(told[9].report, live.report.text);
    assert.deepEqual([...shown.at(-1).poses], [...live.motion.poses]);
    addsUp(live);
  });

  test(`${name}: numbers of the rows are those of the last step, and of the solve where it stands still`, () => {
    const { live, shown, told, run } = page(name), { words, report, hold } = robots[name];
    // the same robot twice, without a page: one moves by as many steps, the other solves at the state that it has then
    const [moved, still] = [words, report ?? words].map((these) => zwang.load(model(`${name}.urdf`), these));
    for (const one of [moved, still]) {
      one.q = live.start;
      if (hold) one.hold(...hold);
    }
    const solved = () => {
      still.solve({ q: moved.q, v: moved.v });
      return [...still.multipliers];
    };
    run(1);
    assert.deepEqual([...told[0].lambda], solved(), "no step has been taken");
    run(5);  // a tenth of a second later
    moved.step(50);
    assert.equal(told.length, 2);
    assert.deepEqual([...told[1].lambda], [...moved.multipliers]);
    live.pause(true);
    run(1);
    const before = [...told[2].lambda];
    assert.deepEqual(before, solved());
    pull(live, name);
    run(1);
    const { link, point, target } = live.pulled;
    still.pull(link, point, target, ...robots[name].hand);
    assert.deepEqual([...told[3].lambda], solved());
    assert.notDeepEqual([...told[3].lambda], before);
    assert.deepEqual([...shown.at(-1).forces], [...still.arrows]);
    assert.equal(told[3].report, `The hand pulls ${link} with ${live.force.toFixed(1)} N. ${live.report.text}`);
    assert.ok(live.force > 1);
  });

  test(`${name}: in a pause there is a picture for what changes, and no other; then it goes on from where it was`, () => {
    const { live, shown, run } = page(name);
    run(10);
    live.pause(true);
    assert.equal(run(5), 1);
    const { steps, pictures } = live.done, { time } = live, poses = [...shown.at(-1).poses];
    assert.equal(run(5), 0);
    pull(live, name);
    assert.equal(run(5), 1);
    live.release();
    assert.equal(run(5), 1);
    assert.deepEqual([live.done.steps, live.done.pictures, live.time], [steps, pictures + 2, time]);
    assert.deepEqual([...shown.at(-1).poses], poses);
    live.pause(false);
    run(1, 3);  // the clock has gone on, and begins with this frame
    assert.equal(live.time, time);
    run(1);
    assert.equal(live.done.steps, steps + 10);
    addsUp(live);
  });

  test(`${name}: from the start means the motion; counters go on`, () => {
    const { live, told, run } = page(name), before = live.motion;
    const first = [...live.motion.q];
    run(20);
    pull(live, name);
    run(20);
    const done = { ...live.done };
    assert.deepEqual([done.steps, live.motion.state().steps], [390, 390]);
    live.restart();
    assert.deepEqual([live.time, live.motion.state().steps, live.status], [0, 0, "ok"]);
    assert.deepEqual([...live.motion.q], first);
    assert.throws(() => before.solve(), /closed/);
    run(1);
    assert.match(told.at(-1).report, /^The hand pulls .* with [0-9.]*[1-9][0-9.]* N/, "it holds on");
    run(10);
    assert.deepEqual([live.motion.state().steps, live.done.steps, live.done.pictures], [100, done.steps + 100, done.pictures + 11]);
    assert.ok(live.done.reports > done.reports);
    addsUp(live);
  });
}

test("after a gap without frames it goes on from where it was", () => {
  const { live, told, run } = page("five_bar");
  run(31);
  const { time } = live;
  run(1, 60);
  assert.equal(live.time, time);
  run(1);
  assert.ok(Math.abs(live.time - time - 1 / 48) < 1e-9);
  run(12);
  assert.ok(told.every((said) => !said.time.includes("slower")));
});

test("a machine that is too slow takes eight steps in each frame at least, and says so", () => {
  const all = page("five_bar"), { live, told, run } = all;
  all.clock = 60;  // [ms] for whatever is done
  run(101, 0.125);
  assert.equal(live.done.steps, 800);
  assert.ok(live.pace.dropped > 5);
  assert.equal(told.at(-1).time, "1.67 s, slower than real time");
  assert.ok(live.done.steps_ms >= 100 * 60 && live.done.reports_ms >= 100 * 60 && live.done.pictures_ms >= 100 * 60);
  all.clock = 0;
  run(20);
  assert.match(told.at(-1).time, /^[0-9.]* s$/, "it is fast enough again");
  addsUp(live);
});

test("a frame in which nothing has changed draws nothing", () => {
  const { live, run } = page("five_bar");
  run(1);
  assert.equal(run(40, 1 / 1920), 40);
  assert.deepEqual([live.done.steps, live.done.pictures], [10, 11]);
});

test("feet that have left the ground leave the report", () => {
  const { live, run } = page("quadruped"), pushing = () => Object.values(live.active).filter(Boolean).length;
  run(10);
  assert.equal(pushing(), 4);
  const { rows } = live.report;
  live.setup.hand = [4000, 200];
  pull(live, "quadruped");
  run(40);
  assert.deepEqual([live.status, pushing(), live.motion.state().contacts.filter((c) => c.kind !== "open").length], ["ok", 0, 0]);
  assert.ok(rows > 0 && live.report.rows === 0 && live.judge.multipliers.every((x) => x === 0));
});

test("after a fault nothing goes on", () => {
  const one = page("five_bar");
  one.run(3);
  one.screen.show = () => { throw new Error("no picture"); };
  one.run(1);
  const steps = one.live.motion.state().steps;
  assert.deepEqual([one.faults, one.live.fault, one.run(5)], [["no picture"], "no picture", 0]);
  one.live.pause(true);
  one.live.pause(false);
  pull(one.live, "five_bar");
  one.live.release();
  one.live.wake();
  assert.deepEqual([one.run(5), one.live.motion.state().steps, one.faults.length], [0, steps, 1]);
  // what fails beside the frames sets `fault`, and a frame may be asked for already
  const other = page("five_bar");
  other.run(3);
  other.live.fault = "something else";
  const { pictures } = other.live.done;
  assert.equal(other.run(5), 1);
  assert.deepEqual([other.live.done.steps, other.live.done.pictures, other.faults], [20, pictures, []]);
});

test("a motion that has ended says why, and begins anew", () => {
  const { live, told, run } = page("five_bar");
  run(5);
  live.setup.hand = [1e12, 0];
  pull(live, "five_bar");
  assert.ok(run(100) < 100, "it goes on");
  assert.ok(!live.moves && live.status.length > 10 && live.status !== "ok");
  assert.equal(told.at(-1).report, live.status);
  const { steps } = live.done;
  live.drag([0, 0, 0]);
  assert.equal(run(5), 1, "the hand is drawn");
  assert.equal(live.done.steps, steps);
  live.release();
  live.restart();
  assert.equal(run(5), 5);
  assert.deepEqual([live.status, live.done.steps], ["ok", steps + 40]);
});

test("a file that can be read and cannot start is refused, and shown where it is there", () => {
  const { words } = robots.own;
  assert.throws(() => tryOut(zwang, far, words), /cannot be brought back to the constraints.*right_wrist/);
  assert.throws(() => tryOut(zwang, model("arm7.urdf").replace("<mass value=", "<mass valeu="), words), /mass/);
  const loaded = zwang.load;
  const tried = [], counting = { load: (...x) => { tried.push(loaded.apply(zwang, x)); return tried.at(-1); } };
  for (const text of [far, model("arm7.urdf")]) try { tryOut(counting, text, words); } catch { /* above */ }
  assert.equal(tried.length, 2);
  for (const one of tried) assert.throws(() => one.solve(), /closed/);
  const { live, told, run } = page("own", far);
  assert.equal(run(5), 1);
  assert.match(live.status, /cannot be brought back to the constraints/);
  assert.deepEqual([told.length, told[0].report, live.done.steps], [1, live.status, 0]);
});

test("a file of the reader's has a hand and arrows by its mass", () => {
  const { live, run } = page("own", model("arm7.urdf")), { mass } = live.motion.describe();
  assert.deepEqual([live.setup.force, live.setup.hand], [50 * mass, [30 * mass, 2 * mass]]);
  assert.equal(typeof robots.own.force, "function", "of the next file, too");
  run(3);
  assert.equal(live.done.steps, 20);
});
