// SPDX-License-Identifier: BSD-3-Clause
// Draws the scene of a page and plays its motion. Everything is in the page: nothing is loaded.
//
// zwangPlayer(scene) draws a scene in the page. Where the motion is computed while it is shown, `live` has what a hand does:
//   zwangPlayer(scene, { force, grab(link, point, place), drag(place), release() }) -> { show({ poses, forces }), tell({ lambda, report }), … }, or null
//   without WebGL
// force: of the longest arrow [N]. Pressing on a body grabs it at a point in its frame; points and places in the world are [x, y, z].

/// What keys do, by their names in KeyboardEvent.key, letters small. A key counts without ctrl, alt and meta, and not where it writes or chooses (the
/// box of a switch does neither); the space bar not on a button or a switch, which it presses. While a key is held down it acts once, or again and again.
function zwangKeys(acts, again = false) {
  const byKey = new Map(Object.entries(acts));
  window.addEventListener("keydown", (e) => {
    const { tagName, type } = e.target, act = byKey.get(e.key.length === 1 ? e.key.toLowerCase() : e.key);
    const writes = tagName === "SELECT" || tagName === "TEXTAREA" || (tagName === "INPUT" && type !== "checkbox");
    const presses = e.key === " " && (tagName === "BUTTON" || tagName === "INPUT");
    if (!act || e.ctrlKey || e.altKey || e.metaKey || writes || presses) return;
    e.preventDefault();
    if (again || !e.repeat) act();
  });
}

function zwangPlayer(scene, live) {
  "use strict";
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const floats = (text) => new Float32Array(bytes(text));
  const times = floats(scene.time), poses = floats(scene.poses), forces = floats(scene.forces), lambda = floats(scene.lambda);
  const states = times.length, links = scene.links.length, reached = scene.radius;
  // What the eye measures by: the whole motion, or the robot where it goes far, which the camera follows then.
  const follows = reached > 2.5 * scene.size, radius = follows ? scene.size : reached;
  const palette = ["#e4572e", "#2f6fde", "#17a398", "#b23a98", "#f2a104", "#5b6ee1", "#7a9e3a", "#c1121f"];
  const arrowColour = (k) => palette[k % palette.length];

  const element = (tag, attributes, parent, text) => {
    const e = document.createElement(tag);
    for (const key in attributes) e.setAttribute(key, attributes[key]);
    if (text !== undefined) e.textContent = text;
    if (parent) parent.appendChild(e);
    return e;
  };

  // --- the world ---------------------------------------------------------------------------------------------------------
  // Where the processor draws, a live picture leaves out what costs most there: soft edges of bodies and shadows, the background that shines
  // through, points between those of the page.
  function isSlow() {
    const gl = document.createElement("canvas").getContext("webgl", { failIfMajorPerformanceCaveat: true });
    if (gl === null) return true;
    const names = gl.getExtension("WEBGL_debug_renderer_info"), name = names === null ? "" : gl.getParameter(names.UNMASKED_RENDERER_WEBGL);
    gl.getExtension("WEBGL_lose_context")?.loseContext();
    return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
  }
  const plain = Boolean(live) && isSlow();
  let renderer;
  try {
    renderer = new THREE.WebGLRenderer({ antialias: !plain, alpha: !plain, preserveDrawingBuffer: !live });
  } catch (error) {
    element("div", { id: "fault", class: "card" }, document.body, "This browser gives no WebGL, so the robot cannot be drawn.");
    return null;
  }
  document.body.appendChild(renderer.domElement);
  const canvas = renderer.domElement;
  if (plain) renderer.setClearColor("#eef2f6");
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = plain ? THREE.BasicShadowMap : THREE.PCFSoftShadowMap;
  const world = new THREE.Scene();
  const camera = new THREE.PerspectiveCamera(38, 1, radius / 100, radius * 100 + 10 * reached);
  camera.up.set(0, 0, 1);
  world.add(new THREE.HemisphereLight(0xffffff, 0x9aa5b1, 0.62));
  const centre = new THREE.Vector3(scene.centre[0], scene.centre[1], scene.centre[2]);
  const sun = new THREE.DirectionalLight(0xffffff, 0.55), toSun = new THREE.Vector3(1.2, -1.6, 3);
  const light = (at) => {
    sun.position.copy(at).addScaledVector(toSun, radius);
    sun.target.position.copy(at);
  };
  light(centre);
  sun.castShadow = true;
  sun.shadow.mapSize.setScalar(plain ? 512 : live ? 1024 : 2048);
  const box = sun.shadow.camera;
  box.left = box.bottom = -2 * radius;
  box.right = box.top = 2 * radius;
  box.near = radius / 10;
  box.far = 8 * radius;
  sun.shadow.bias = -0.0005;
  world.add(sun, sun.target);

  // --- the robot ---------------------------------------------------------------------------------------------------------
  const meshes = (scene.meshes || []).map((m) => {
    const packed = new Uint16Array(bytes(m.p)), points = new Float32Array(packed.length);
    for (let k = 0; k < packed.length; ++k) points[k] = m.low[k % 3] + m.step * packed[k];
    const corners = m.wide ? new Uint32Array(bytes(m.t)) : new Uint16Array(bytes(m.t));
    // Corners of their own for each triangle: edges stay sharp.
    const whole = new Float32Array(3 * corners.length);
    for (let k = 0; k < corners.length; ++k) for (let i = 0; i < 3; ++i) whole[3 * k + i] = points[3 * corners[k] + i];
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(whole, 3));
    geometry.computeVertexNormals();
    return geometry;
  });
  const round = plain ? 20 : 40;
  /// Light is computed at each point, or at the corners alone.
  const surface = ({ shininess, specular, ...all }) => (plain ? new THREE.MeshLambertMaterial(all) : new THREE.MeshPhongMaterial({ shininess, specular, ...all }));
  function geometriesOf(x) {
    const s = x.s;
    if (x.k === "box") return [new THREE.BoxBufferGeometry(s[0], s[1], s[2])];
    if (x.k === "sphere") return [new THREE.SphereBufferGeometry(s[0], round, round / 2)];
    if (x.k === "ellipsoid") return [new THREE.SphereBufferGeometry(1, round, round / 2).scale(s[0], s[1], s[2])];
    if (x.k === "plane") return [new THREE.PlaneBufferGeometry(s[0], s[1])];
    if (x.k === "mesh") return [meshes[x.m].clone().scale(s[0], s[1], s[2])];
    const tube = new THREE.CylinderBufferGeometry(s[0], s[0], s[1], round).rotateX(Math.PI / 2);
    if (x.k === "cylinder") return [tube];
    const ball = (z) => new THREE.SphereBufferGeometry(s[0], round, round / 2).translate(0, 0, z);
    return [tube, ball(s[1] / 2), ball(-s[1] / 2)];
  }
  function place(object, o) {
    object.position.set(o[0], o[1], o[2]);
    object.quaternion.set(o[3], o[4], o[5], o[6]);
  }
  function groupOf(shapes) {
    const group = new THREE.Group();
    for (const x of shapes) {
      const clear = x.a !== undefined;
      const open = x.k === "plane" || x.k === "mesh";  // of the others nobody sees the inside
      const material = surface({ color: x.c, shininess: 30, specular: 0x333333, side: open ? THREE.DoubleSide : THREE.FrontSide,
        transparent: clear, opacity: clear ? x.a : 1,
        polygonOffset: x.k === "plane", polygonOffsetFactor: 1, polygonOffsetUnits: 1 });  // behind the lines of the ground
      for (const geometry of geometriesOf(x)) {
        const body = new THREE.Mesh(geometry, material);
        place(body, x.o);
        body.castShadow = !clear;  // on bodies themselves shadows of this resolution make stripes
        group.add(body);
      }
    }
    world.add(group);
    return group;
  }
  const groups = scene.links.map((link) => groupOf(link.shapes));
  const extents = groups.map((group) => {  // of each link about the origin of its frame
    const at = new THREE.Vector3();
    return group.children.reduce((most, x) => {
      x.geometry.computeBoundingSphere();
      return Math.max(most, at.copy(x.geometry.boundingSphere.center).applyQuaternion(x.quaternion).add(x.position).length() + x.geometry.boundingSphere.radius);
    }, 0);
  });
  groupOf(scene.scenery);

  // the ground, at z = 0 or below the first state, with lines at round distances
  const ten = Math.pow(10, Math.floor(Math.log10(radius / 4))), step = [1, 2, 5].reduce((best, k) => Math.max(best, k * ten <= radius / 4 ? k * ten : 0), 0);
  groups.forEach((g, k) => place(g, poses.subarray(7 * k, 7 * k + 7)));
  const extent = new THREE.Box3();
  groups.forEach((g) => extent.expandByObject(g));
  const floor = Math.min(0, extent.min.z);
  const cells = Math.min(60, Math.max(10, Math.ceil((2 * radius + 2 * reached) / step)));
  const corners = [], long = 4;  // segments of so many cells: long lines behind the eye are lost in some browsers
  for (let i = -cells; i <= cells; ++i)
    for (let j = -cells; j < cells; j += long) {
      const to = Math.min(j + long, cells);
      corners.push(i, j, 0, i, to, 0, j, i, 0, to, i, 0);
    }
  const lines = new THREE.BufferGeometry();
  lines.setAttribute("position", new THREE.BufferAttribute(new Float32Array(corners).map((x) => x * step), 3));
  const grid = new THREE.LineSegments(lines, new THREE.LineBasicMaterial({ color: plain ? 0xd4dce4 : 0xc3ced8 }));  // the same, mixed with the background
  grid.position.set(Math.round(centre.x / step) * step, Math.round(centre.y / step) * step, floor);
  grid.material.transparent = !plain;
  grid.material.opacity = 0.6;
  const shade = new THREE.Mesh(new THREE.PlaneBufferGeometry(1, 1), new THREE.ShadowMaterial({ opacity: 0.16 }));
  shade.position.z = floor - 0.001 * radius;
  shade.receiveShadow = true;
  // What receives shadows is as large as the shadows: every point of it is looked up in the map of the light.
  const shadeBox = new THREE.Box2(), corner = new THREE.Vector2();
  function shadeOf(at, extent) {  // of a ball
    const away = (at.z - floor) / toSun.z, x = at.x - toSun.x * away, y = at.y - toSun.y * away;
    const reach = extent * toSun.length() / toSun.z;  // an ellipse, as long as the ball's size / sin(height of the sun)
    shadeBox.expandByPoint(corner.set(x - reach, y - reach));
    shadeBox.expandByPoint(corner.set(x + reach, y + reach));
  }
  function fitShade() {
    shadeBox.makeEmpty();
    groups.forEach((g, k) => { if (extents[k] > 0) shadeOf(g.position, extents[k]); });
    for (const { force, moment } of arrows) for (const x of [force, moment]) if (x.object.visible) shadeOf(x.object.position, x.object.userData.length);
    if (shadeBox.isEmpty()) shadeBox.expandByPoint(corner.set(centre.x, centre.y));
    shade.scale.set(Math.max(shadeBox.max.x - shadeBox.min.x, 1e-3 * radius), Math.max(shadeBox.max.y - shadeBox.min.y, 1e-3 * radius), 1);
    shade.position.x = (shadeBox.min.x + shadeBox.max.x) / 2;
    shade.position.y = (shadeBox.min.y + shadeBox.max.y) / 2;
  }
  world.add(grid, shade);

  // axes of frames: x red, y green, z blue
  const axesOfFrames = scene.frames.map((f) => {
    const axes = new THREE.Group(), length = 0.14 * radius;
    ["#d64545", "#3f9142", "#3366cc"].forEach((colour, i) => {
      const bar = new THREE.Mesh(new THREE.CylinderBufferGeometry(0.004 * radius, 0.004 * radius, length, 12).translate(0, length / 2, 0),
        new THREE.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true }));  // seen through bodies
      bar.renderOrder = 1;
      if (i === 0) bar.rotation.z = -Math.PI / 2;
      if (i === 2) bar.rotation.x = Math.PI / 2;
      axes.add(bar);
    });
    place(axes, f.o);
    axes.visible = f.shown;
    groups[f.link].add(axes);
    return axes;
  });

  // --- arrows of constraints: force with one tip, moment with two ------------------------------------------------------------
  const count = scene.arrows.length;
  let mostForce = 0, mostMoment = 0, beyond = false;
  const loads = [];  // of contacts, whose peaks at impacts would make all others vanish
  for (let k = 0; k < forces.length; k += 9) {
    const force = Math.hypot(forces[k + 3], forces[k + 4], forces[k + 5]);
    if ((k / 9) % count < count - scene.contacts) mostForce = Math.max(mostForce, force);
    else if (force > 0) loads.push(force);
    mostMoment = Math.max(mostMoment, Math.hypot(forces[k + 6], forces[k + 7], forces[k + 8]));
  }
  if (loads.length > 0) {
    loads.sort((a, b) => a - b);
    mostForce = Math.max(mostForce, loads[Math.floor(0.9 * (loads.length - 1))]);
    beyond = loads[loads.length - 1] > mostForce;
  }
  if (mostMoment < 1e-3 * mostForce * scene.size) mostMoment = 0;  // rounding, or loops that are open by micrometres
  if (live) {
    mostForce = live.force;
    beyond = true;
  }
  const reach = 0.42 * radius;
  function makeArrow(colour, tips, thickness) {
    const material = surface({ color: colour, emissive: colour, emissiveIntensity: 0.18, shininess: 10, specular: 0x111111 });
    const shaft = new THREE.Mesh(new THREE.CylinderBufferGeometry(1, 1, 1, round / 2).translate(0, 0.5, 0), material), heads = [];
    const arrow = new THREE.Group();
    arrow.add(shaft);
    for (let k = 0; k < tips; ++k) {
      const head = new THREE.Mesh(new THREE.ConeBufferGeometry(1, 1, 0.6 * round).translate(0, 0.5, 0), material);
      heads.push(head);
      arrow.add(head);
    }
    arrow.traverse((x) => { x.castShadow = true; });
    world.add(arrow);
    const up = new THREE.Vector3(0, 1, 0), direction = new THREE.Vector3();
    return {
      object: arrow,
      set(point, vector, perUnit, shown) {
        const length = Math.min(vector.length() * perUnit, reach);
        arrow.visible = shown && length > 1e-3 * radius;
        if (!arrow.visible) return;
        arrow.position.copy(point);
        arrow.quaternion.setFromUnitVectors(up, direction.copy(vector).normalize());
        arrow.userData.length = length;
        const width = Math.min(thickness * radius, 0.2 * length), tip = Math.min(5 * width, 0.45 * length);
        shaft.scale.set(width, length - tips * 0.8 * tip, width);
        heads.forEach((head, k) => {
          head.scale.set(2.4 * width, tip, 2.4 * width);
          head.position.y = length - (k + 1) * tip + k * 0.2 * tip;
        });
      },
    };
  }
  const arrows = scene.arrows.map((name, k) => ({ force: makeArrow(arrowColour(k), 1, 0.014), moment: makeArrow(arrowColour(k), 2, 0.008) }));

  const drawn = groups.filter((g) => g.children.some((x) => x.isMesh));
  const meanOf = (to) => drawn.reduce((sum, g) => sum.addScaledVector(g.position, 1 / drawn.length), to.set(0, 0, 0));
  const eye = { turn: -0.9, rise: 0.42, far: 3.0 * radius, at: centre.clone() };
  if (follows) {
    meanOf(eye.at);
  }

  // --- one moment of the motion ------------------------------------------------------------------------------------------------
  const qa = new THREE.Quaternion(), qb = new THREE.Quaternion(), point = new THREE.Vector3(), vector = new THREE.Vector3();
  const middle = new THREE.Vector3(), before = eye.at.clone();
  let now = times[0], shownRows = [];
  function between(time) {
    let low = 0, high = states - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle; else high = middle;
    }
    const length = times[high] - times[low];
    return { low, high, part: length > 0 ? Math.min(Math.max((time - times[low]) / length, 0), 1) : 0 };
  }
  function show(time) {
    now = time;
    const { low, high, part } = between(time);
    for (let k = 0; k < links; ++k) {
      const a = 7 * (low * links + k), b = 7 * (high * links + k), g = groups[k];
      g.position.set(poses[a] + part * (poses[b] - poses[a]), poses[a + 1] + part * (poses[b + 1] - poses[a + 1]),
        poses[a + 2] + part * (poses[b + 2] - poses[a + 2]));
      qa.set(poses[a + 3], poses[a + 4], poses[a + 5], poses[a + 6]);
      qb.set(poses[b + 3], poses[b + 4], poses[b + 5], poses[b + 6]);
      g.quaternion.copy(qa).slerp(qb, part);
    }
    meanOf(middle);
    if (switches.follow && switches.follow.checked) {
      eye.at.add(middle).sub(before);
      light(middle);
    }
    before.copy(middle);
    drawArrows(low, high, part);
    fitShade();
    if (!live) tellRows(part < 0.5 ? low : high);
    if (slider) {
      slider.value = time;
      clock.textContent = time.toFixed(3) + " s";
    }
  }
  function drawArrows(low, high, part) {
    const state = part < 0.5 ? low : high;  // forces may jump: never a mean of two states
    for (let k = 0; k < count; ++k) {
      const f = 9 * (state * count + k), on = switches.arrows.checked;
      point.set(forces[f], forces[f + 1], forces[f + 2]);
      arrows[k].force.set(point, vector.set(forces[f + 3], forces[f + 4], forces[f + 5]), mostForce > 0 ? reach / mostForce : 0, on);
      arrows[k].moment.set(point, vector.set(forces[f + 6], forces[f + 7], forces[f + 8]), mostMoment > 0 ? 0.6 * reach / mostMoment : 0, on);
    }
  }
  function tellRows(state) {
    shownRows.forEach((cell, r) => { cell.textContent = number(lambda[state * scene.rows.length + r]); });
  }
  const number = (x) => (x === 0 ? "0" : Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3 ? x.toExponential(2) : x.toFixed(Math.abs(x) < 10 ? 3 : 1));

  // --- cards ---------------------------------------------------------------------------------------------------------------------
  const head = element("div", { id: "head", class: "card" }, document.body);
  element("h1", {}, head, scene.title);
  if (mostForce > 0) element("p", {}, head, "longest arrow " + number(mostForce) + (beyond ? " N or more" : " N") + (mostMoment > 0 ? ", with two tips " + number(mostMoment) + " N m" : ""));
  for (const note of scene.notes) element("p", {}, head, note);
  const side = element("div", { id: "side", class: live ? "card live" : "card" }, document.body);
  const toggle = (name, on, act) => {
    const label = element("label", {}, side), check = element("input", { type: "checkbox" }, label);
    check.checked = on;
    label.appendChild(document.createTextNode(" " + name));
    check.addEventListener("change", () => { act(check.checked); draw(); });
    return check;
  };
  const switches = {
    arrows: { checked: true },
    bodies: toggle("bodies", true, (on) => groups.forEach((g) => g.children.forEach((x) => { if (x.isMesh) x.visible = on; }))),
    glass: toggle("see through", false, (on) => groups.forEach((g) => g.children.forEach((x) => {
      if (!x.isMesh) return;
      if (x.userData.opacity === undefined) x.userData.opacity = x.material.opacity;
      x.material.opacity = on ? 0.35 * x.userData.opacity : x.userData.opacity;
      x.material.transparent = on || x.userData.opacity < 1;
      x.material.needsUpdate = true;
    }))),
    frames: toggle("frames", scene.frames.some((f) => f.shown), (on) => axesOfFrames.forEach((axes) => { axes.visible = on; })),
    grid: toggle("ground", true, (on) => { grid.visible = shade.visible = on; }),
  };
  if (states > 1 || live) switches.follow = toggle("follow", follows, () => show(now));
  if (count > 0) switches.arrows = toggle("forces", true, () => show(now));
  if (scene.rows.length > 0) {
    const table = element("table", {}, side);
    const owner = (row) => scene.arrows.findIndex((name) => row === name || row.startsWith(name + ":"));
    shownRows = scene.rows.map((row) => {
      const line = element("tr", {}, table), cell = element("td", {}, line), k = owner(row);
      const swatch = element("span", { class: "swatch" }, cell);
      swatch.style.background = k < 0 ? "transparent" : arrowColour(k);
      cell.appendChild(document.createTextNode(row));
      return element("td", {}, line);
    });
  }
  const report = element("p", { id: "report", class: live ? "" : "hidden" }, side);
  let slider = null, clock = null, playing = false, speed = 1;
  if (states > 1) {
    const bar = element("div", { id: "bar", class: "card" }, document.body);
    const button = element("button", { title: "play and pause (space)", "aria-label": "play and pause" }, bar, "\u25b6");
    slider = element("input", { type: "range", min: times[0], max: times[states - 1], step: "any", "aria-label": "time" }, bar);
    clock = element("output", {}, bar);
    const pick = element("select", { title: "speed", "aria-label": "speed" }, bar);
    for (const x of [0.1, 0.25, 0.5, 1, 2, 4]) element("option", { value: x }, pick, x + " \u00d7").selected = x === 1;
    const set = (on) => {
      playing = on;
      button.textContent = on ? "\u275a\u275a" : "\u25b6";
      if (on && now >= times[states - 1]) now = times[0];
      last = null;
      if (on) requestAnimationFrame(tick);
    };
    button.addEventListener("click", () => set(!playing));
    pick.addEventListener("change", () => { speed = Number(pick.value); });
    slider.addEventListener("input", () => { set(false); show(Number(slider.value)); draw(); });
    zwangKeys({ " ": () => set(!playing) });
    let last = null;
    const tick = (stamp) => {
      if (!playing) return;
      if (last !== null) now += speed * Math.min((stamp - last) / 1000, 0.1);
      last = stamp;
      if (now > times[states - 1]) now = times[0];
      show(now);
      render();
      requestAnimationFrame(tick);
    };
  }

  // --- the camera: left turns, right or shift moves, the wheel comes nearer ---------------------------------------------------------
  function aim() {
    const c = Math.cos(eye.rise);
    camera.position.set(eye.at.x + eye.far * c * Math.cos(eye.turn), eye.at.y + eye.far * c * Math.sin(eye.turn), eye.at.z + eye.far * Math.sin(eye.rise));
    camera.lookAt(eye.at);
  }
  function render() {
    asked = false;
    aim();
    renderer.render(world, camera);
  }
  let asked = false;
  /// Once a frame, however often it is asked for: pointers move more often than pictures change.
  function draw() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { if (asked) render(); });
  }
  // --- a hand: it grabs what it presses on and drags it in the plane that faces the eye ---------------------------------------------
  const ray = new THREE.Raycaster(), plane = new THREE.Plane(), spot = new THREE.Vector3();
  let hand = null;  // the pointer that drags
  const aimRay = (e) => {
    const box = canvas.getBoundingClientRect();
    ray.setFromCamera({ x: 2 * (e.clientX - box.left) / box.width - 1, y: 1 - 2 * (e.clientY - box.top) / box.height }, camera);
  };
  function grabs(e) {
    if (!live || hand !== null || e.button !== 0 || e.shiftKey) return false;
    aimRay(e);
    const hit = ray.intersectObjects(groups, true).find((x) => x.object.isMesh && groups.includes(x.object.parent));
    if (!hit) return false;
    plane.setFromNormalAndCoplanarPoint(camera.getWorldDirection(vector), hit.point);
    const link = groups.indexOf(hit.object.parent);
    hand = e.pointerId;
    live.grab(scene.links[link].name, groups[link].worldToLocal(hit.point.clone()).toArray(), hit.point.toArray());
    return true;
  }
  const fingers = new Map();
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    if (grabs(e)) return;
    fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
  });
  const lift = (e) => {
    fingers.delete(e.pointerId);
    if (hand !== e.pointerId) return;
    hand = null;
    live.release();
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  function pan(dx, dy) {
    const per = 2 * eye.far * Math.tan(camera.fov * Math.PI / 360) / (camera.zoom * canvas.clientHeight);
    const right = new THREE.Vector3().setFromMatrixColumn(camera.matrix, 0), up = new THREE.Vector3().setFromMatrixColumn(camera.matrix, 1);
    eye.at.addScaledVector(right, -dx * per).addScaledVector(up, dy * per);
  }
  const rise = (by) => { eye.rise = Math.min(Math.max(eye.rise + by, -1.5), 1.5); };
  const zoom = (factor) => { eye.far = Math.min(Math.max(eye.far * factor, 0.15 * radius), 60 * radius); };
  canvas.addEventListener("pointermove", (e) => {
    if (hand === e.pointerId) {
      aimRay(e);
      if (ray.ray.intersectPlane(plane, spot)) live.drag(spot.toArray());
      return;
    }
    const before = fingers.get(e.pointerId);
    if (!before) return;
    const dx = e.clientX - before.x, dy = e.clientY - before.y;
    if (fingers.size === 2) {
      const other = [...fingers.entries()].find(([id]) => id !== e.pointerId)[1];
      zoom(Math.hypot(before.x - other.x, before.y - other.y) / Math.max(Math.hypot(e.clientX - other.x, e.clientY - other.y), 1));
      pan(dx / 2, dy / 2);
    } else if (e.buttons === 2 || e.shiftKey) {
      pan(dx, dy);
    } else {
      eye.turn -= dx * 0.008;
      rise(dy * 0.008);
    }
    fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    draw();
  });
  canvas.addEventListener("wheel", (e) => {
    if (window.self !== window.top && !document.hasFocus()) return;  // within another page, until it is pressed on: that page is scrolled
    e.preventDefault();
    zoom(Math.exp(e.deltaY * 0.001));
    draw();
  }, { passive: false });
  const turned = (turn, up) => () => { eye.turn += turn; rise(up); draw(); };
  const zoomed = (factor) => () => { zoom(factor); draw(); };
  zwangKeys({ ArrowLeft: turned(0.08, 0), ArrowRight: turned(-0.08, 0), ArrowUp: turned(0, 0.08), ArrowDown: turned(0, -0.08),
    "+": zoomed(1 / 1.15), "=": zoomed(1 / 1.15), "-": zoomed(1.15) }, true);
  canvas.addEventListener("dblclick", () => { Object.assign(eye, { turn: -0.9, rise: 0.42, far: 3.0 * radius, at: (follows ? middle : centre).clone() }); draw(); });
  function resize() {
    const width = window.innerWidth, height = window.innerHeight, mostPoints = 7e5;
    renderer.setPixelRatio(plain ? Math.min(1, Math.sqrt(mostPoints / Math.max(width * height, 1))) : Math.min(window.devicePixelRatio || 1, 2));
    renderer.setSize(width, height, false);
    camera.aspect = width / height;
    const card = side.getBoundingClientRect();  // it has much to say live: the robot stands beside it, or above it
    camera.zoom = Math.min(1, width / height);
    if (!live) camera.clearViewOffset();
    else if (card.top > 0.3 * height) camera.setViewOffset(width, height, 0, (height - card.top - head.getBoundingClientRect().bottom) / 2, width, height);
    else camera.setViewOffset(width, height, card.width / 2, 0, width, height);
    camera.updateProjectionMatrix();
    render();  // a canvas of another size is empty
  }
  window.addEventListener("resize", resize);
  // The page may be opened at a time: page.html#t=0.25
  const wanted = /[#&]t=([0-9.]+)/.exec(window.location.hash);
  show(wanted ? Math.min(Math.max(Number(wanted[1]), times[0]), times[states - 1]) : times[0]);
  resize();
  document.documentElement.setAttribute("data-drawn", "1");
  return {
    canvas,
    /// A state in place of that of the scene: numbers as the scene has them. To be called in a frame of the browser: it draws.
    show(state) {
      poses.set(state.poses);
      forces.set(state.forces);
      show(0);
      render();
    },
    /// What the list of rows and the text say. Letters cost more than a picture, and nobody reads sixty of them a second.
    tell(state) {
      lambda.set(state.lambda);
      tellRows(0);
      if (report.textContent !== state.report) report.textContent = state.report;
    },
    /// What a picture takes, by count: of the last one, shadows apart.
    work() {
      const { calls, triangles, lines, frame } = renderer.info.render;
      return { calls, triangles, lines, pictures: frame, points: renderer.getContext().drawingBufferWidth * renderer.getContext().drawingBufferHeight, plain };
    },
    /// Where a place in the world is on the screen [pixels from the corner of the canvas].
    pixel(place) {
      aim();
      camera.updateMatrixWorld();
      const at = new THREE.Vector3(...place).project(camera);
      return [0.5 * (at.x + 1) * canvas.clientWidth, 0.5 * (1 - at.y) * canvas.clientHeight];
    },
  };
}
{
  const embedded = document.getElementById("scene");
  if (embedded) zwangPlayer(JSON.parse(embedded.textContent));
}
