// SPDX-License-Identifier: BSD-3-Clause
// zwang in JavaScript: problems in the words of CONVENTIONS.md (Problems), solved at a state or moved a step at a time.
//
//   import { open } from "./zwang.js";
//   const zwang = await open();
//   const bar = zwang.load(text, { loops: true, integrator: "rk4", dt: 0.002 });
//   console.log(bar.describe().rows, bar.solve().report.text);
//   bar.step(10);
//   console.log(bar.state().time, bar.q, bar.multipliers);
//
// Arrays (q, v, poses, ...) are views of the module's memory: copy what is to be kept. What zwang refuses is thrown as a ZwangError
// with zwang's own sentence.
import zwangModule from "./zwang_module.mjs";

/// `name` says what kind: ModelError, JsonError, UsageError, IoError, InvalidArgument, OutOfMemory, Error.
export class ZwangError extends Error {
  constructor(kind, message) {
    super(message);
    this.name = kind;
  }
}

const mostSteps = 2 ** 31 - 1;
const motionKeys = ["time", "dt", "integrator", "keep", "every", "events", "scene"];

/// The module, compiled. `wasm`: its bytes, where they are there already; else they are fetched from beside this file.
export async function open({ wasm } = {}) {
  const binary = wasm ?? (await fetchBytes(new URL("zwang_module.wasm", import.meta.url)));
  return new Zwang(await zwangModule({ wasmBinary: binary }));
}

async function fetchBytes(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new ZwangError("IoError", `zwang: ${url} cannot be read (${answer.status})`);
  return answer.arrayBuffer();
}

/// Names of files are paths below the folder of the problem, none of them one of its own or a folder of another.
function checkNames(names, own) {
  const refuse = (name, why) => {
    throw new ZwangError("InvalidArgument", `zwang.load: argument 'files', the name '${name}' ${why}`);
  };
  for (const name of names) {
    if (name.split("/").some((part) => part === "" || part === "." || part === ".."))
      refuse(name, "is no path below the folder of the robot");
    if (own.some((taken) => taken === name || name.startsWith(taken + "/"))) refuse(name, "is that of a file of zwang's own");
    const folder = names.find((other) => other.startsWith(name + "/"));
    if (folder) refuse(name, `is a folder of '${folder}'`);
  }
}

/// A folder with all that is in it.
function remove(FS, path) {
  if (!FS.analyzePath(path).exists) return;
  for (const name of FS.readdir(path)) {
    const inner = `${path}/${name}`;
    if (name === "." || name === "..") continue;
    if (FS.isDir(FS.stat(inner).mode)) remove(FS, inner);
    else FS.unlink(inner);
  }
  FS.rmdir(path);
}

class Zwang {
  #module;
  #call;
  #folders = 0;

  constructor(module) {
    this.#module = module;
    const call = (name, result, types) => module.cwrap("zwang_" + name, result, types);
    this.#call = {
      kind: call("error_kind", "string", []), error: call("error", "string", []), about: call("about", "string", []),
      open: call("open", "number", ["string", "string"]), close: call("close", null, ["number"]),
      describe: call("describe", "string", ["number"]), picture: call("picture", "string", ["number"]),
      solve: call("solve", "string", ["number"]), state: call("state", "string", ["number"]),
      start: call("start", "number", ["number"]), step: call("step", "number", ["number", "number"]),
      hold: call("hold", "number", ["number", "number", "number"]),
      pull: call("pull", "number", ["number", "string", ...Array(8).fill("number")]),
      release: call("release", "number", ["number"]), activate: call("activate", "number", ["number", "string", "number"]),
      numbers: call("numbers", "number", ["number", "string"]), count: call("count", "number", []),
    };
  }

  /// { version, kernels, lanes }
  get about() { return JSON.parse(this.#call.about()); }

  /// A robot as text (URDF, SDF, MJCF, or a document of a robot), and the other keys of a problem. `files`: further files that the
  /// robot's names, by name, as text or bytes.
  load(robot, words = {}, files = {}) {
    if (typeof robot !== "string" || robot.trim() === "")
      throw new ZwangError("InvalidArgument", "zwang.load: argument 'robot', expected the text of a robot");
    if ("model" in words) throw new ZwangError("InvalidArgument", "zwang.load: key 'model' is the argument 'robot' here");
    const { FS } = this.#module, folder = `/problem${++this.#folders}`, name = robot.trimStart().startsWith("{") ? "robot.json" : "robot.xml";
    const write = (path, content) => {
      FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
      FS.writeFile(path, content);
    };
    checkNames(Object.keys(files), [name, "problem.json"]);
    try {
      write(`${folder}/${name}`, robot);
      for (const [path, content] of Object.entries(files)) write(`${folder}/${path}`, content);
      write(`${folder}/problem.json`, JSON.stringify({ model: name, ...words }));
      const command = motionKeys.some((key) => key in words) ? "simulate" : "solve";
      const number = this.#call.open(`${folder}/problem.json`, command);
      if (number === 0) this.#fail(folder + "/");
      return new Problem(this.#module, this.#call, number, () => this.#fail());
    } finally {
      remove(FS, folder);
    }
  }

  /// Names at the root of the module's files, which live in memory: of problems nothing stays there.
  files() { return this.#module.FS.readdir("/"); }

  #fail(folder = "/") {
    throw new ZwangError(this.#call.kind(), this.#call.error().replaceAll(folder.length > 1 ? folder : "\0", ""));
  }
}

class Problem {
  #module;
  #call;
  #number;
  #fail;

  constructor(module, call, number, fail) {
    this.#module = module;
    this.#call = call;
    this.#number = number;
    this.#fail = fail;
  }
  #text(name) {
    const text = this.#call[name](this.#number);
    if (this.#call.kind() !== "") this.#fail();
    return JSON.parse(text);
  }
  #do(name, ...more) {
    const result = this.#call[name](this.#number, ...more);
    if (this.#call.kind() !== "") this.#fail();
    return result;
  }
  #numbers(name) {
    const at = this.#do("numbers", name);
    return new Float64Array(this.#module.HEAPF64.buffer, at, this.#call.count());
  }
  #write(name, values) {
    const to = this.#numbers(name);
    if (values.length !== to.length)
      throw new ZwangError("InvalidArgument", `zwang: '${name}' has ${values.length} numbers, expected ${to.length}`);
    to.set(values);
  }

  /// As `zwang info --json`: joints, links, frames, names of coordinates; `rows` and `constraints` of the set, `findings` of the reader.
  describe() { return this.#text("describe"); }
  /// What viewer/player.js draws.
  picture() { return this.#text("picture"); }

  get q() { return this.#numbers("q"); }
  set q(values) { this.#write("q", values); }
  get v() { return this.#numbers("v"); }
  set v(values) { this.#write("v", values); }
  get tau() { return this.#numbers("tau"); }
  set tau(values) { this.#write("tau", values); }
  /// Of the last solve() or step().
  get acceleration() { return this.#numbers("acceleration"); }
  get multipliers() { return this.#numbers("multipliers"); }
  /// x y z and a quaternion x y z w of each link, in the order of describe().links.
  get poses() { return this.#numbers("poses"); }
  /// Point, force and moment of each constraint with a place (picture().arrows), in the world; the hand is the last.
  get arrows() { return this.#numbers("arrows"); }

  /// The answer of `zwang solve --json` at q, v and tau, with what hold() and pull() do there.
  solve({ q, v, tau } = {}) {
    if (q) this.q = q;
    if (v) this.v = v;
    if (tau) this.tau = tau;
    return this.#text("solve");
  }
  /// The motion begins at q, v. The first step() does so, too.
  start({ q, v } = {}) {
    if (q) this.q = q;
    if (v) this.v = v;
    this.#do("start");
  }
  /// Goes on by `count` steps of dt, with tau as it is now. Where q or v have been written, a motion begins there, at the time 0. Returns how
  /// many steps were done: fewer where the motion has ended, which state() explains.
  step(count = 1) {
    if (!Number.isInteger(count) || count < 0 || count > mostSteps)
      throw new ZwangError("InvalidArgument", `zwang: step: argument 'count', expected a whole number from 0 to ${mostSteps}, got ${String(count)}`);
    return this.#do("step", count);
  }
  /// { time, steps, status, reason, energy, error, contacts }
  state() { return this.#text("state"); }

  /// Motors keep the present configuration by springs [N m/rad, N/m] and dampers, up to their effort limits.
  hold(stiffness, damping) { this.#do("hold", stiffness, damping); }
  /// A spring [N/m] and a damper [N s/m] from a point of a link (in its frame) to a place in the world.
  pull(link, point, target, stiffness, damping) {
    for (const [name, x] of [["point", point], ["target", target]])
      if (x?.length !== 3) throw new ZwangError("InvalidArgument", `zwang: pull: argument '${name}', expected 3 numbers`);
    this.#do("pull", link, ...point, ...target, stiffness, damping);
  }
  release() { this.#do("release"); }
  /// Switches a constraint on or off; a motion begins anew at the present state.
  activate(constraint, on) { this.#do("activate", constraint, on ? 1 : 0); }
  close() { this.#call.close(this.#number); }
}
