// SPDX-License-Identifier: BSD-3-Clause
// How many steps of a motion are due, so that its time follows the clock whatever the rate of the frames is.
//
//   const pace = new Pace(1 / 480);
//   const frame = (stamp) => { pace.took(motion.step(pace.due(stamp / 1000))); requestAnimationFrame(frame); };
//
// elapsed = (steps taken) dt + behind + dropped, all in seconds: what is left over comes with the next frame, and beyond `most` it is dropped,
// so that a machine that is too slow shows a slow motion and does not stand still.
//
// A gap without frames that is much longer than those before it (a computer that slept, a page that the browser froze) is a rest: the motion goes on
// from where it was, and the gap is no part of `elapsed`. A machine that always has long gaps is slow, and moves.

const shortest = 0.25;  // [s] of a rest
const longer = 4;       // times the longest of the last gaps is the shortest rest, too
const remembered = 8;   // gaps

export class Pace {
  #dt;
  #most;
  #last = null;
  #gaps = [];  // [s] the last ones
  elapsed = 0;
  behind = 0;
  dropped = 0;

  constructor(dt, most = 0.5) {
    if (!(dt > 0) || !(most >= dt)) throw new RangeError(`Pace: expected 0 < dt <= most, got ${dt} and ${most}`);
    this.#dt = dt;
    this.#most = most;
  }
  /// Steps that are due at a time [s]. A time that is not later than the last one adds nothing.
  due(now) {
    if (!Number.isFinite(now)) throw new RangeError(`Pace: due: expected a time [s], got ${now}`);
    let passed = this.#last === null ? 0 : Math.max(now - this.#last, 0);
    if (this.#isRest(passed)) {
      this.rest();
      passed = 0;
    }
    this.#last = this.#last === null ? now : Math.max(now, this.#last);
    this.elapsed += passed;
    this.behind += passed;
    if (this.behind > this.#most) {
      this.dropped += this.behind - this.#most;
      this.behind = this.#most;
    }
    return Math.floor(this.behind / this.#dt + 1e-9);  // rounding of stamps loses no step
  }
  /// So many of these steps were taken.
  took(count) { this.behind -= count * this.#dt; }
  /// The clock stops until due() is asked again: a pause, a page that is hidden. Steps that were due are dropped.
  rest() {
    this.#last = null;
    const late = Math.floor(this.behind / this.#dt + 1e-9) * this.#dt;
    this.behind -= late;
    this.dropped += late;
  }
  /// Whether a gap is a rest; it is remembered.
  #isRest(gap) {
    const rests = gap > Math.max(shortest, longer * Math.max(...this.#gaps));
    if (gap > 0) this.#gaps.push(gap);
    if (this.#gaps.length > remembered) this.#gaps.shift();
    return rests;
  }
}
