// SPDX-License-Identifier: BSD-3-Clause
// Robots that are computed while they are shown: live.html?robot=five_bar, ?robot=quadruped, ?robot=own. The motion, the forces and the report
// are zwang's; player.js draws them. A spring leads from the point that is pressed to the pointer.
import { LiveRobot, robots, tryOut } from "./robot.js";
import { open } from "./zwang.js";

const element = (tag, attributes, parent, text) => {
  const e = Object.assign(document.createElement(tag), attributes);
  if (text !== undefined) e.textContent = text;
  parent.append(e);
  return e;
};

const kept = "zwang own robot";  // the text of a file, until the tab is closed
async function textOf(name) {
  if (name === "own") {
    const text = sessionStorage.getItem(kept);
    if (text === null) throw new Error("choose a file of a robot: URDF, SDF, MJCF, or a document");
    return text;
  }
  const answer = await fetch(`${name}.urdf`);
  if (!answer.ok) throw new Error(`${name}.urdf cannot be read (${answer.status})`);
  return answer.text();
}

/// A file is dropped on the page, or found in a dialogue. What zwang refuses in it is shown, and the robot that is there stays.
function takeFiles(zwang, bar) {
  const files = element("input", { type: "file", accept: ".urdf,.sdf,.xml,.mjcf,.json", hidden: true }, bar);
  element("button", { title: "a robot of yours: a file, or drop it on the page", ariaLabel: "a robot of yours" }, bar, "\u2026").addEventListener("click", () => files.click());
  const take = async (file) => {
    try {
      const text = await file.text();
      tryOut(zwang, text, robots.own.words);
      sessionStorage.setItem(kept, text);
      location.search = "?robot=own";
    } catch (error) {
      document.getElementById("refused")?.remove();
      const card = element("div", { id: "refused", className: "card" }, document.body, `${file.name}: ${error.message.replaceAll(/\brobot\.(xml|json):/g, "line ")}`);
      element("button", { title: "close", ariaLabel: "close" }, card, "\u00d7").addEventListener("click", () => card.remove());
    }
  };
  files.addEventListener("change", () => {
    if (files.files.length > 0) take(files.files[0]);
    files.value = "";
  });
  document.addEventListener("dragover", (e) => e.preventDefault());
  document.addEventListener("drop", (e) => {
    e.preventDefault();
    if (e.dataTransfer.files.length > 0) take(e.dataTransfer.files[0]);
  });
}

async function main() {
  const name = new URLSearchParams(location.search).get("robot") ?? "five_bar";
  const bar = element("div", { id: "bar", className: "card" }, document.body);
  const pick = element("select", { title: "robot", ariaLabel: "robot" }, bar);
  for (const key of Object.keys(robots)) if (key !== "own" || name === key) element("option", { value: key }, pick, key === "own" ? "your file" : key.replace("_", " "));
  pick.value = name;
  pick.addEventListener("change", () => { location.search = "?robot=" + pick.value; });
  const zwang = await open();
  takeFiles(zwang, bar);
  if (!Object.hasOwn(robots, name)) throw new Error(`there is no robot '${name}' here: ${Object.keys(robots).join(", ")}`);
  let player = null, clock = null;
  const live = new LiveRobot(zwang, await textOf(name), robots[name], {
    ask: (frame) => requestAnimationFrame(frame),
    show: (state) => player.show(state),
    tell({ time, ...state }) {
      player.tell(state);
      clock.textContent = time;
    },
    fault: zwangFault,
    now: () => performance.now(),
  });
  player = zwangPlayer(live.motion.picture(), {
    force: live.setup.force,
    grab: (link, point, place) => live.grab(link, point, place),
    drag: (place) => live.drag(place),
    release: () => live.release(),
  });
  if (!player) return;  // the page says why

  const hold = element("button", { title: "pause and go on (space)", ariaLabel: "pause and go on" }, bar, "\u275a\u275a");
  const again = element("button", { title: "from the start (R)", ariaLabel: "from the start" }, bar, "\u21bb");
  clock = element("output", {}, bar);
  element("span", { className: "hint" }, bar, "press on a body and drag it");
  const pause = () => {
    live.pause(!live.paused);
    hold.textContent = live.paused ? "\u25b6" : "\u275a\u275a";
  };
  const restart = () => live.restart();
  hold.addEventListener("click", pause);
  again.addEventListener("click", restart);
  zwangKeys({ " ": pause, r: restart });
  document.addEventListener("visibilitychange", () => live.pace.rest());
  window.zwangLive = Object.assign(live, window.zwangLive, { player });
  live.wake();
}

main().catch((error) => zwangFault(error.message));
