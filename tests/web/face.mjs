// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the JavaScript face share: the module in Node, models as text.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { open } from "../../build/web/site/zwang.js";

const root = new URL("../../", import.meta.url);
export const model = (name) => readFileSync(new URL(`models/${name}`, root), "utf8");
export const file = (name) => readFileSync(new URL(name, root), "utf8");
/// The module. One that was built from other sources is refused: it would be tested in place of these.
export const start = () => {
  if (spawnSync("python3", [new URL("tools/web_sources.py", root).pathname]).status !== 0)
    throw new Error("build/web/site was built from other sources: tools/build_web.sh");
  return open({ wasm: readFileSync(new URL("build/web/site/zwang_module.wasm", root)) });
};
/// The largest |a[k] - b[k]| beside the largest |b[k]|, or 1.
export const distance = (a, b) => {
  const scale = b.reduce((most, x) => Math.max(most, Math.abs(x)), 1);
  return a.reduce((most, x, k) => Math.max(most, Math.abs(x - b[k])), 0) / scale;
};
