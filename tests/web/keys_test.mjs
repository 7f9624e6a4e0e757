// SPDX-License-Identifier: BSD-3-Clause
// Which keys count on a page of viewer/player.js: node --test tests/web/keys_test.mjs. Events are objects, there is no page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

const player = readFileSync(new URL("../../viewer/player.js", import.meta.url), "utf8");
/// What a page does with keys: press(key, more of the event) says whether the page took it, `acted` has what it did.
function page(keys, again) {
  const acted = [];
  let listener;
  const window = { addEventListener: (type, f) => { if (type === "keydown") listener = f; } };
  const { zwangKeys } = runInNewContext(`${player}; ({ zwangKeys })`, { window, document: { getElementById: () => null } });
  zwangKeys(Object.fromEntries(keys.map((key) => [key, () => acted.push(key)])), again);
  const press = (key, { target = { tagName: "BODY" }, ...more } = {}) => {
    let taken = false;
    listener({ key, target, ctrlKey: false, altKey: false, metaKey: false, repeat: false, ...more, preventDefault: () => { taken = true; } });
    return taken;
  };
  return { press, acted };
}

test("a key does what the page says, and no other key does anything", () => {
  const { press, acted } = page([" ", "r", "ArrowLeft", "+"]);
  for (const key of [" ", "r", "R", "ArrowLeft", "+"]) assert.ok(press(key, { shiftKey: key === "R" || key === "+" }), key);
  for (const key of ["q", "ArrowUp", "Enter", "Tab", "constructor", "arrowleft"]) assert.ok(!press(key), key);
  assert.deepEqual(acted, [" ", "r", "r", "ArrowLeft", "+"]);
});

test("keys with a modifier are the browser's", () => {
  const { press, acted } = page([" ", "r", "-"]);
  for (const modifier of ["ctrlKey", "altKey", "metaKey"]) for (const key of [" ", "r", "-"]) assert.ok(!press(key, { [modifier]: true }), `${modifier} ${key}`);
  assert.deepEqual(acted, []);
});

test("keys in a field are the field's", () => {
  const { press, acted } = page([" ", "r", "ArrowLeft"]);
  const fields = [["SELECT", "select-one"], ["TEXTAREA", "textarea"], ["INPUT", "text"], ["INPUT", "range"], ["INPUT", "file"]];
  for (const [tagName, type] of fields) for (const key of [" ", "r", "ArrowLeft"]) assert.ok(!press(key, { target: { tagName, type } }), `${key} on ${type}`);
  assert.deepEqual(acted, []);
});

test("after a click on a button or a switch keys count, but for the space bar, which presses it", () => {
  const { press, acted } = page([" ", "r", "ArrowLeft"]);
  for (const target of [{ tagName: "BUTTON", type: "submit" }, { tagName: "INPUT", type: "checkbox" }]) {
    assert.ok(!press(" ", { target }));
    assert.ok(press("r", { target }) && press("ArrowLeft", { target }));
  }
  assert.ok(press(" ", { target: { tagName: "CANVAS" } }) && press(" ", { target: {} }), "beside them it counts");
  assert.deepEqual(acted, ["r", "ArrowLeft", "r", "ArrowLeft", " ", " "]);
});

test("a key that is held down acts once, or again and again; the page has it all the time", () => {
  for (const again of [false, true]) {
    const { press, acted } = page(["+"], again);
    for (const repeat of [false, true, true]) assert.ok(press("+", { repeat }));
    assert.equal(acted.length, again ? 3 : 1);
  }
});
