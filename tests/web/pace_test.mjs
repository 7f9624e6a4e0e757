// SPDX-License-Identifier: BSD-3-Clause
// Laws of the pace of a page: node --test tests/web/pace_test.mjs. Times are those of a list, not of a clock.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace } from "../../web/pace.js";

const dt = 1 / 480;
/// Frames at so many times; `able`: steps that a frame can take. Returns the steps of each.
const run = (pace, times, able = Infinity) => times.map((now) => {
  const count = Math.min(pace.due(now), able);
  pace.took(count);
  return count;
});
const sum = (x) => x.reduce((all, one) => all + one, 0);
const addsUp = (pace, steps) => assert.ok(Math.abs(pace.elapsed - steps * dt - pace.behind - pace.dropped) < 1e-9);
const every = (rate, seconds) => Array.from({ length: Math.round(rate * seconds) + 1 }, (_, k) => 5 + k / rate);

test("the motion's time is the clock's, whatever the rate of frames is", () => {
  for (const rate of [2.5, 7, 24, 30, 60, 90, 144, 480, 1000]) {
    const pace = new Pace(dt), steps = sum(run(pace, every(rate, 10)));
    assert.ok(Math.abs(steps - 4800) <= 1, `${rate} frames a second: ${steps} steps in 10 s`);
    assert.equal(pace.dropped, 0);
    addsUp(pace, steps);
  }
  const times = every(60, 10).map((t, k) => t + 0.006 * Math.sin(7 * k));  // and where frames come unevenly
  const pace = new Pace(dt), steps = sum(run(pace, times));
  assert.ok(Math.abs(steps - 480 * (times.at(-1) - times[0])) <= 1);
  addsUp(pace, steps);
});

test("even frames have even steps", () => {
  assert.deepEqual(run(new Pace(dt), every(60, 1)), [0, ...Array(60).fill(8)]);
  assert.deepEqual(run(new Pace(dt), every(240, 1)), [0, ...Array(240).fill(2)]);
});

test("a machine that is too slow shows a slow motion", () => {
  const pace = new Pace(dt), counts = run(pace, every(20, 20), 12);  // 24 are due in each frame
  assert.ok(counts.slice(1).every((count) => count === 12));
  assert.ok(pace.behind <= 0.5 && pace.dropped > 9);
  addsUp(pace, sum(counts));
});

test("after a long time without frames the motion does not race", () => {
  const pace = new Pace(dt), counts = run(pace, [0, 1 / 60, 60, 60 + 1 / 60]);
  assert.equal(counts[2], 240);
  assert.ok(counts[3] <= 9);
  addsUp(pace, sum(counts));
});

test("a pause takes no time", () => {
  const pace = new Pace(dt);
  run(pace, [0, 1 / 60]);
  pace.rest();
  assert.deepEqual(run(pace, [30, 30 + 1 / 60]), [0, 8]);
  assert.ok(pace.elapsed < 0.04);
});

test("what was due before a pause is dropped", () => {
  const pace = new Pace(dt), before = sum(run(pace, every(20, 20), 12));  // 24 are due in each frame
  pace.rest();
  const after = run(pace, [100, 100 + 1 / 60]);
  assert.ok(after[0] === 0 && after[1] <= 9, `${after}`);
  addsUp(pace, before + sum(after));
});

test("a time is a number", () => {
  const pace = new Pace(dt);
  for (const now of [NaN, undefined, Infinity, null]) assert.throws(() => pace.due(now), RangeError);
  assert.deepEqual(run(pace, [0, 1 / 60]), [0, 8]);
});

test("clocks do not go back, and steps have a length", () => {
  const pace = new Pace(dt);
  assert.deepEqual(run(pace, [1, 0.9, 1, 1 + 1 / 60]), [0, 0, 0, 8]);
  for (const wrong of [0, -1, NaN, 1]) assert.throws(() => new Pace(wrong), /expected 0 < dt <= most/);
});
