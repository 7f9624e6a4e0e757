#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Opens each page of the built site in a headless Chromium and looks at it, 1300 pixels wide.

    tools/check_site.py [--width 1300] [build/site]

A problem is: a block of code, a table, a formula or the page that scrolls sideways; a formula that KaTeX does not understand; anything
asked of a network. Exit 77, with the reason: there is no Chromium or no site.
"""
import argparse
import functools
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

import chromium
from sources import ROOT

_MISSING = 77
_SECONDS = 300
_LOOK = """<!doctype html><meta charset="utf-8"><body style="margin:0"><script>
const pages = PAGES, width = WIDTH, problems = [];
const settled = ms => new Promise(done => setTimeout(done, ms));
async function look(page) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width:${width}px;height:900px;border:0`;
  await new Promise(done => { frame.onload = done; frame.src = "/" + page; document.body.append(frame); });
  const inside = frame.contentDocument, say = text => problems.push(`${page}: ${text}`);
  await inside.fonts.ready;
  await settled(30);
  const name = e => (e.closest("[id]")?.id ? "#" + e.closest("[id]").id + " " : "") + e.textContent.trim().slice(0, 60).replace(/\\s+/g, " ");
  for (const e of inside.querySelectorAll("article pre, article pre code, article table, article .md-typeset__scrollwrap, .katex-display"))
    if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0)
      say(`${e.tagName.toLowerCase()} ${e.className} is ${e.scrollWidth} pixels wide in ${e.clientWidth}: ${name(e)}`);
  if (inside.documentElement.scrollWidth > width) say(`the page is ${inside.documentElement.scrollWidth} pixels wide`);
  for (const e of inside.querySelectorAll(".katex-error")) say(`formula: ${e.title}`);
  for (const e of inside.querySelectorAll(".arithmatex")) if (!e.querySelector(".katex")) say(`formula not set: ${name(e)}`);
  for (const r of frame.contentWindow.performance.getEntriesByType("resource"))
    if (new URL(r.name).host !== location.host) say(`asks the network for ${r.name}`);
  frame.remove();
}
(async () => {
  for (const page of pages) try { await look(page); } catch (error) { problems.push(`${page}: ${error}`); }
  await fetch("/problems", {method: "POST", body: JSON.stringify(problems)});
})();
</script>"""


class _Server(http.server.SimpleHTTPRequestHandler):
    """The site, the page that looks at it, and the place where it leaves what it found."""

    def do_GET(self):
        if self.path != "/look-at-the-site":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.server.look.encode())

    def do_POST(self):
        self.server.problems = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()
        self.server.done.set()

    def copyfile(self, source, outputfile):
        try:
            super().copyfile(source, outputfile)
        except ConnectionError:
            pass  # the page was left before its module had come

    def log_message(self, *arguments):
        pass


def look(browser, site, width):
    """The problems of all pages, or None where the browser does not answer."""
    pages = sorted(p.relative_to(site).as_posix() for p in site.rglob("*.html"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Server, directory=str(site)))
    server.look = _LOOK.replace("PAGES", json.dumps(pages)).replace("WIDTH", str(width))
    server.done, server.problems = threading.Event(), None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        address = f"http://127.0.0.1:{server.server_port}/look-at-the-site"
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}", f"--window-size={width},900",
                   "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--remote-debugging-port=0"]
        running = subprocess.Popen([browser, *options, address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server.done.wait(_SECONDS)
        running.terminate()
        running.wait()
    server.shutdown()
    return server.problems, len(pages)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--width", type=int, default=1300)
    parser.add_argument("site", type=pathlib.Path, nargs="?", default=ROOT / "build/site")
    setup = parser.parse_args()
    browser = chromium.find()
    if not browser or not (setup.site / "index.html").is_file():
        what = f"{setup.site} holds no site (make docs)" if browser else "there is no Chromium (tools/install_dependencies.sh pictures)"
        print(f"site: not looked at: {what}")
        return _MISSING
    problems, count = look(browser, setup.site, setup.width)
    if problems is None:
        print(f"site: {browser} has not looked at all {count} pages in {_SECONDS} seconds")
        return 1
    print("\n".join(problems) if problems else f"site: ok ({count} pages, {setup.width} pixels)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
