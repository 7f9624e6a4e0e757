# SPDX-License-Identifier: BSD-3-Clause
"""A headless Chromium that a tool drives, by the DevTools protocol over two pipes: no port, no package, no network."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def find():
    """The browser of this machine, or None."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


class Chromium:
    """One page of a browser. `asked` collects the addresses that it has asked for, `said` what stands in its console."""

    def __init__(self, browser, width=1300, height=800):
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        there_read, here_write = os.pipe()
        here_read, there_write = os.pipe()
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                   "--hide-scrollbars", f"--user-data-dir={self._profile.name}", f"--window-size={width},{height}",
                   "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--remote-debugging-pipe", "about:blank"]
        line = f'exec "$0" "$@" 3<&{there_read} 4>&{there_write}'
        self._running = subprocess.Popen(["bash", "-c", line, browser, *options], pass_fds=(there_read, there_write), stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL)
        os.close(there_read)
        os.close(there_write)
        self._out, self._in = os.fdopen(here_write, "wb", buffering=0), os.fdopen(here_read, "rb")
        self._number, self._session = 0, None
        self.asked, self.said = [], []
        page = next(t for t in self._send("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self._session = self._send("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self._send(f"{domain}.enable")
        self._send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._running.terminate()
        self._running.wait()
        self._in.close()
        self._out.close()
        self._profile.cleanup()

    def _read(self):
        text = bytearray()
        while (byte := self._in.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("the browser has ended")
            text += byte
        return json.loads(text)

    def _send(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._take(answer)

    def _take(self, event):
        if event.get("method") == "Network.requestWillBeSent":
            self.asked.append(event["params"]["request"]["url"])
        elif event.get("method") == "Runtime.consoleAPICalled":
            self.said.append(" ".join(str(a.get("value", a.get("description"))) for a in event["params"]["args"]))
        elif event.get("method") == "Runtime.exceptionThrown":
            self.said.append(event["params"]["exceptionDetails"].get("exception", {}).get("description", "an exception"))

    def open(self, address):
        self._send("Page.navigate", url=address)

    def do(self, script):
        """The value of a script, which may wait."""
        answer = self._send("Runtime.evaluate", expression=f"(async () => {{ {script} }})()", awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", str(answer["exceptionDetails"])))
        return answer["result"].get("value")

    def mouse(self, kind, x, y):
        """`mousePressed`, `mouseMoved` or `mouseReleased` of the left button."""
        self._send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=0 if kind == "mouseReleased" else 1, clickCount=1)

    def key(self, key, code=None):
        """A key that is pressed and let go: its `key` and `code` of a KeyboardEvent."""
        for kind in ("rawKeyDown", "keyUp"):
            self._send("Input.dispatchKeyEvent", type=kind, key=key, code=code or key)

    def touch(self, kind, *points):
        """`touchStart`, `touchMove` or `touchEnd` of fingers at (x, y)."""
        self._send("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)])

    def size(self, width, height):
        self._send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def picture(self, path):
        path.write_bytes(base64.b64decode(self._send("Page.captureScreenshot", format="png")["data"]))
