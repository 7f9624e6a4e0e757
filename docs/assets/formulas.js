// SPDX-License-Identifier: BSD-3-Clause
// Typesets the formulas of a page, which pymdownx.arithmatex leaves as \[ ... \]. A mistake in a formula is shown in red.
document.addEventListener("DOMContentLoaded", () => {
  for (const place of document.querySelectorAll(".arithmatex")) {
    const tex = place.textContent.trim().replace(/^\\[[(]|\\[\])]$/g, "");
    katex.render(tex, place, {displayMode: place.tagName === "DIV", throwOnError: false});
  }
});
