// SPDX-License-Identifier: BSD-3-Clause
// Laws of the JavaScript face, in Node: node --test tests/web
import assert from "node:assert/strict";
import { test } from "node:test";
import { distance, file, model, start } from "./face.mjs";

const zwang = await start();
const epsilon = Number.EPSILON;
const motors = { name: "motors", type: "joint", coordinates: ["left_shoulder", "right_shoulder"], target: [0, 0], role: "driver", baumgarte: { time_constant: 0.1 } };

test("registers hold two doubles", () => {
  assert.equal(zwang.about.lanes, 2);
  assert.match(zwang.about.version, /^\d+\.\d+\.\d+$/);
});

test("every format of robots is read from its text", () => {
  for (const [name, words, nv] of [["arm7.urdf", {}, 7], ["slider_crank.sdf", {}, 4], ["gripper.xml", {}, 7], ["quadruped.urdf", { root: "floating" }, 18]]) {
    const robot = zwang.load(model(name), words), says = robot.describe();
    assert.equal(says.nv, nv, name);
    assert.equal(says.names.length, nv);
    assert.equal(robot.q.length, says.nq);
    assert.equal(robot.poses.length, 7 * says.links.length);
    robot.close();
  }
});

test("a robot that falls freely has the acceleration of gravity", () => {
  const robot = zwang.load(model("quadruped.urdf"), { root: "floating" });
  const { status, qdd } = robot.solve();
  assert.equal(status, "ok");
  // all bodies fall alike: joints keep their angles; 18 unknowns of condition below 1e4
  assert.ok(distance(qdd, [0, 0, -9.81, ...Array(15).fill(0)]) < 1e5 * epsilon, String(qdd));
});

test("a five-bar stays closed, and keeps its energy where nothing takes it", () => {
  const bar = zwang.load(model("five_bar.urdf"), { loops: true, integrator: "rk4", dt: 1e-3, solver: { joint_effects: { damping: false } } });
  bar.start();
  const before = bar.state().energy;
  assert.equal(bar.step(300), 300);
  const after = bar.state();
  assert.equal(after.status, "ok");
  assert.ok(after.error < 1e-10, `open by ${after.error}`);  // projection ends at 1e-12 of the robot's size
  // rk4: h^4 of angular rates below 30 rad/s, energies below 2 J
  assert.ok(Math.abs(after.energy - before) < 1e-7, `${after.energy - before} J`);
});

test("without rows every step is that of the equations: q'' of a solve, and half a step is half as far", () => {
  const words = { integrator: "rk4", dt: 1e-3 }, arm = zwang.load(model("arm7.urdf"), words), fine = zwang.load(model("arm7.urdf"), { ...words, dt: 5e-4 });
  const q = arm.q.map((x, k) => x + 0.1 * k - 0.3);
  for (const one of [arm, fine]) one.start({ q, v: Array(7).fill(0.2) });
  arm.step(20);
  fine.step(40);
  assert.ok(distance(arm.q, fine.q) < 1e-9 && distance(arm.v, fine.v) < 1e-7);
  const { qdd } = arm.solve();
  assert.deepEqual([...arm.acceleration], qdd);
});

test("rows hold: the reaction of a hand is found in the multipliers", () => {
  // The tool is held by both motors: what the hand adds in the plane is what the rows take.
  const bar = zwang.load(model("five_bar.urdf"), { loops: true, constraints: [motors] });
  const still = bar.solve(), before = bar.multipliers.slice(), link = bar.describe().links.findIndex((x) => x.name === "tool");
  const place = [...bar.poses.slice(7 * link, 7 * link + 3)];
  bar.pull("tool", [0, 0, 0], [place[0] + 0.1, place[1], place[2]], 50, 0);
  const pulled = bar.solve(), hand = [...bar.arrows.slice(-9)];
  assert.ok(distance(hand, [...place, 5, 0, 0, 0, 0, 0]) < 100 * epsilon, String(hand));
  assert.ok(distance(pulled.qdd, still.qdd) < 1e4 * epsilon, "held rows do not yield");
  assert.ok(Math.abs(bar.multipliers[5] - before[5]) > 0.1);
  bar.release();
  bar.solve();
  assert.deepEqual(bar.multipliers, before);
});

test("a motor at its limit is named by the report", () => {
  const bar = zwang.load(model("five_bar.urdf"), { loops: true, constraints: [{ ...motors, limit: 0.6 }] });  // at rest they need 0.52 N m
  assert.doesNotMatch(bar.solve().report.text, /limit, and/);
  bar.pull("tool", [0, 0, 0], [0.3, 0, 0.3], 50, 0);
  const { report } = bar.solve();
  assert.match(report.text, /At their limit, and giving way: motors:/);
  const torques = bar.multipliers.slice(5).map(Math.abs);
  assert.ok(torques.every((x) => x <= 0.6 * (1 + 100 * epsilon)) && Math.max(...torques) > 0.6 * (1 - 100 * epsilon), String(torques));
});

test("motors keep a posture, and feet carry the weight", () => {
  const feet = ["LF_foot", "RF_foot", "LH_foot", "RH_foot"];
  const dog = zwang.load(model("quadruped.urdf"), { root: "floating", integrator: "contact", dt: 1 / 480, scene: {},
    constraints: feet.map((name) => ({ name, type: "contact", frame: name, tangent: [1, 0, 0], target_point: [0, 0, 0], sense: "at_least", friction: 0.7 })) });
  const says = dog.describe(), foot = says.links.findIndex((x) => x.name === "LF_foot");
  dog.q[2] -= dog.poses[7 * foot + 2];
  dog.hold(300, 8);
  dog.start();
  assert.equal(dog.step(960), 960);
  const carried = feet.reduce((sum, _, k) => sum + dog.multipliers[3 * k + 2], 0);
  // it has come to rest but for the slowest oscillation of its springs
  assert.ok(Math.abs(carried / (9.81 * says.mass) - 1) < 0.05, `${carried} N`);
  assert.equal(dog.state().contacts.filter((c) => c.kind === "stick").length, 4);
  assert.throws(() => dog.solve(), /friction/);
});

test("what is wrong is said in zwang's words", () => {
  const refused = (name, pattern, call) => assert.throws(call, (e) => e instanceof Error && e.name === name && pattern.test(e.message), String(pattern));
  refused("ModelError", /robot\.xml:1:\d+.*<inertia>/, () => zwang.load("<robot name='x'><link name='a'><inertial><mass value='-1'/></inertial></link></robot>"));
  refused("ModelError", /[Ee]nd|tag|XML/, () => zwang.load("<robot name='x'>"));
  refused("ModelError", /./, () => zwang.load("{ \"format\": 1"));
  refused("JsonError", /integratr.*integrator/s, () => zwang.load(model("arm7.urdf"), { integratr: "rk4" }));
  refused("JsonError", /tool9/, () => zwang.load(model("arm7.urdf"), { constraints: [{ name: "t", type: "frame", frame: "tool9" }] }));
  refused("InvalidArgument", /'robot'/, () => zwang.load(""));
  refused("InvalidArgument", /'model'/, () => zwang.load(model("arm7.urdf"), { model: "x" }));
  const arm = zwang.load(model("arm7.urdf"));
  refused("InvalidArgument", /'q' has 3 numbers, expected 7/, () => arm.solve({ q: [0, 0, 0] }));
  refused("InvalidArgument", /q.*NaN|NaN.*q|finite/, () => arm.solve({ q: Array(7).fill(NaN) }));
  refused("InvalidArgument", /link9/, () => arm.pull("link9", [0, 0, 0], [0, 0, 0], 1, 0));
  refused("InvalidArgument", /stiffness/, () => arm.hold(-1, 0));
  refused("InvalidArgument", /no constraint named 'tool'/, () => arm.activate("tool", true));
  refused("Error", /start/, () => arm.state());
  arm.close();
  refused("InvalidArgument", /closed/, () => arm.solve());
});

test("nothing of a closed problem is left", () => {
  const text = model("humanoid.urdf");
  const { buffer: first } = zwang.load(model("arm7.urdf")).q;
  // so many that the module's memory would have to grow if they stayed: a document of a megabyte each, in a memory of 32
  const long = text + `<!-- ${"x".repeat(1 << 20)} -->`;
  let before = first.byteLength;
  for (let k = 0; k < 120; ++k) {
    const robot = zwang.load(long, { root: "floating" }, { "parts/a.txt": "a" });
    if (k === 20) before = robot.q.buffer.byteLength;
    const now = robot.q.buffer.byteLength;
    robot.close();
    if (k > 20) assert.equal(now, before);
  }
  assert.throws(() => zwang.load("<robot name='x'>", {}, { "parts/a.txt": "a" }));
  assert.deepEqual(zwang.files().filter((name) => name.startsWith("problem")), []);
});

test("names of files are paths of their own", () => {
  const text = model("arm7.urdf");
  for (const [files, pattern] of [[{ "robot.xml": "" }, /zwang's own/], [{ "problem.json": "" }, /zwang's own/], [{ "robot.xml/a": "" }, /zwang's own/],
    [{ "../x": "" }, /below/], [{ "/x": "" }, /below/], [{ "": "" }, /below/], [{ a: "", "a/b": "" }, /folder of 'a\/b'/]])
    assert.throws(() => zwang.load(text, {}, files), (e) => e.name === "InvalidArgument" && pattern.test(e.message), JSON.stringify(files));
});

test("what is written during a motion counts", () => {
  const words = { integrator: "rk4", dt: 1e-3 }, [one, other] = [0, 1].map(() => zwang.load(model("arm7.urdf"), words));
  for (const arm of [one, other]) arm.step(1);
  one.tau = [1, 2, 3, 4, 3, 2, 1];
  for (const arm of [one, other]) arm.step(10);
  assert.ok(distance(one.v, other.v) > 1e-3);
  other.q = Array(7).fill(0.1);
  assert.equal(other.step(2), 2);
  assert.equal(other.state().steps, 2);
  assert.ok(distance(other.q, Array(7).fill(0.1)) < 1e-3);
});

test("torques and hands that change count in all of the next step", () => {
  const tau = [1, 2, 3, 4, 3, 2, 1], target = [0.4, 0.2, 0.6];
  for (const integrator of ["semi_implicit", "rk4", "half_explicit", "variational", "dormand_prince", "contact"]) {
    const [one, fresh] = [0, 1].map(() => zwang.load(model("arm7.urdf"), { integrator, dt: 2e-3 }));
    one.step(3);
    for (const arm of [one, fresh]) {
      arm.tau = tau;
      arm.pull("link5", [0, 0, 0], target, 120, 5);
    }
    fresh.start({ q: one.q, v: one.v });
    for (const arm of [one, fresh]) assert.equal(arm.step(1), 1);
    // the same operations; a first evaluation with the forces before is another one
    assert.ok(distance(one.v, fresh.v) < 1e5 * epsilon, `${integrator}: ${distance(one.v, fresh.v)}`);
    for (const arm of [one, fresh]) arm.close();
  }
});

test("counts of steps are whole numbers, and places have three", () => {
  const arm = zwang.load(model("arm7.urdf"), { integrator: "rk4", dt: 1e-3 });
  for (const count of [-1, NaN, 0.5, "1", 2 ** 32 + 1, Infinity])
    assert.throws(() => arm.step(count), (e) => e.name === "InvalidArgument" && /'count'/.test(e.message), String(count));
  assert.equal(arm.step(0), 0);
  assert.throws(() => arm.pull("tool0", [0, 0], [0, 0, 0], 1, 0), /'point'/);
  assert.throws(() => arm.pull("tool0", [0, 0, 0], [0, 0, 0, 0], 1, 0), /'target'/);
});

test("the page docs/javascript.md prints what it says", async () => {
  const page = file("docs/javascript.md"), said = [], expected = [];
  const blocks = [...page.matchAll(/```js\n(.*?)```\n\n<!-- prints -->\n```text\n(.*?)```/gs)];
  assert.ok(blocks.length >= 3);
  const code = blocks.map(([, body]) => body.replace(/^import .*\n/, "").replace("await open()", "zwang_")).join("\nconsole.log('\u001e');\n");
  const AsyncFunction = (async () => {}).constructor, print = { log: (...words) => said.push(words.join(" ")) };
  await new AsyncFunction("console", "zwang_", "fiveBar", code)(print, zwang, model("five_bar.urdf"));
  for (const [, , text] of blocks) expected.push(text.trim());
  assert.deepEqual(said.join("\n").split("\u001e").map((x) => x.trim()), expected);
});
