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
  for (const rate of [4, 7, 24, 30, 60, 90, 144, 480, 1000]) {
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

test("after a gap without frames the motion goes on from where it was", () => {
  for (const gap of [0.26, 0.45, 3, 60, 3e4]) {
    const pace = new Pace(dt), at = 5 + 20 / 60 + gap, counts = run(pace, [...every(60, 20 / 60), at, at + 1 / 60, at + 2 / 60]);
    assert.deepEqual(counts.slice(1), [...Array(20).fill(8), 0, 8, 8], `${gap} s`);
    assert.equal(pace.dropped, 0);
    assert.ok(Math.abs(pace.elapsed - 22 / 60) < 1e-9, "the gap is no part of the time that has passed");
    addsUp(pace, sum(counts));
  }
  // the picture comes first, and takes a browser long: no steps are due for it
  assert.deepEqual(run(new Pace(dt), [5, 6, 6 + 1 / 60]), [0, 0, 8]);
});

test("a slow machine moves, as far as it can with the clock", () => {
  for (const gap of [0.26, 0.3, 0.5]) {  // the first gap might be a rest
    const pace = new Pace(dt), steps = sum(run(pace, every(1 / gap, 40 * gap)));
    assert.ok(Math.abs(steps - 39 * gap / dt) <= 1, `a frame every ${gap} s: ${steps} steps`);
    assert.equal(pace.dropped, 0);
    addsUp(pace, steps);
  }
  for (const gap of [2, 20]) {
    const pace = new Pace(dt), counts = run(pace, every(1 / gap, 10 * gap));
    assert.deepEqual(counts, [0, 0, ...Array(9).fill(240)], `a frame every ${gap} s`);
    addsUp(pace, sum(counts));
  }
});

test("a machine that becomes slow moves again with the second slow frame, and sleeps as others do", () => {
  const pace = new Pace(dt), quick = every(60, 1), slow = Array.from({ length: 6 }, (_, k) => 6 + 0.3 * (k + 1));
  const before = sum(run(pace, quick)), counts = run(pace, slow);
  assert.deepEqual(counts, [0, ...Array(5).fill(144)]);
  const after = run(pace, [60, ...Array(20).fill(60), 60.3]);  // a time that is asked for again is no gap
  assert.deepEqual([after[0], after.at(-1)], [0, 144]);
  addsUp(pace, before + sum(counts) + sum(after));
});

test("frames that are late now and then keep the clock", () => {
  const late = (k) => [1 / 60, 0.2][Number(k % 5 === 4)], times = [5];  // one of five
  for (let k = 0; k < 100; ++k) times.push(times.at(-1) + late(k));
  const pace = new Pace(dt), steps = sum(run(pace, times));
  assert.ok(Math.abs(steps - (times.at(-1) - 5) / dt) <= 1, `${steps} steps`);
  // and those that are so late that the first one might be a rest
  const later = new Pace(dt), stamps = times.map((t, k) => t + 0.2 * Math.floor(k / 5)), went = run(later, stamps);
  assert.equal(went[5], 0);
  assert.ok(Math.abs(sum(went.slice(6)) - (stamps.at(-1) - stamps[5]) / dt) <= 1);
  addsUp(later, sum(went));
});

test("a machine that is too slow drops what was due before it slept", () => {
  const pace = new Pace(dt), before = sum(run(pace, every(20, 20), 12)), dropped = pace.dropped;  // 24 are due in each frame
  const after = run(pace, [100, 100 + 1 / 60]);
  assert.deepEqual([after[0], after[1] <= 9], [0, true], `${after}`);
  assert.ok(pace.dropped > dropped + 0.3);
  addsUp(pace, before + sum(after));
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
