# SPDX-License-Identifier: GPL-2.0
"""Chromium without a screen, driven through two pipes."""
import base64
import json
import os
import subprocess
import sys
import time


class Browser:
    """Chromium, driven through two pipes; what it reports is in events."""

    def __init__(self, work):
        to, self.to = os.pipe()
        self.back, back = os.pipe()
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
                   f"--user-data-dir={work}/chromium-page", "about:blank"]
        with open(f"{work}/chromium.log", "wb") as log:
            # pylint: disable=consider-using-with # it lives as long as this
            self.process = subprocess.Popen(
                ["bash", "-c", f'exec chromium "$@" 3<&{to} 4>&{back}', "chromium", *options], pass_fds=(to, back),
                stdout=log, stderr=log, env=dict(os.environ, HOME=os.path.abspath(work)))
        os.close(to)
        os.close(back)
        self.rest, self.events, self.number, self.session = b"", [], 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.back, 1 << 20)
            if not more:
                sys.exit("Chromium has ended")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        call = {"id": self.number, "method": method, "params": params}
        if self.session:
            call["sessionId"] = self.session
        os.write(self.to, json.dumps(call).encode() + b"\0")
        while True:
            got = self.message()
            if got.get("id") == self.number:
                if "error" in got:
                    sys.exit(f"{method}: {got['error']}")
                return got["result"]
            self.events.append(got)

    def js(self, text):
        got = self.call("Runtime.evaluate", expression=text, returnByValue=True)
        if "exceptionDetails" in got:
            sys.exit(f"{text}: {got['exceptionDetails']}")
        return got["result"].get("value")

    def open(self, path, choice=""):
        """A page, with what stands behind the # of its address. It is loaded anew."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url="file://" + os.path.abspath(path) + (f"#{choice}" if choice else ""))
        for _ in range(200):
            if self.js("document.readyState") == "complete" and self.js("location.href").startswith("file:"):
                return
            time.sleep(0.05)
        sys.exit(f"{path}: is not loaded after 10 s")

    def key(self, key, shift=False):
        codes = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Enter": 13, "Escape": 27, "Tab": 9,
                 "Home": 36, "End": 35}
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown" if text else "rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=codes[key],
                      modifiers=8 if shift else 0, **(text if kind == "keyDown" else {}))

    def rect(self, selector):
        """x, y, width and height of an element, on the screen."""
        return self.js(f"(() => {{ const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect(); "
                       "return [r.x, r.y, r.width, r.height]; })()")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def hover(self, selector, part, down=0.5):
        """The pointer at a part of the width of an element, which is brought onto the screen."""
        self.js(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        box = self.rect(selector)
        self.mouse("mouseMoved", box[0] + box[2] * part, box[1] + box[3] * down)

    def drag(self, selector, first, last):
        """With the pointer, over parts of the width of an element."""
        self.js(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        box = self.rect(selector)
        for kind, part in (("mousePressed", first), ("mouseMoved", (first + last) / 2), ("mouseMoved", last),
                           ("mouseReleased", last)):
            self.mouse(kind, box[0] + box[2] * part, box[1] + box[3] / 2, button="left", buttons=1, clickCount=1)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def theme(self, name):
        """What the system prefers: light or dark."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def picture(self, path, width):
        height = min(self.js("document.documentElement.scrollHeight"), 6000)
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                         clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def faults(self):
        """Errors and requests since the last call; the page itself and data: are no requests."""
        found = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"]["text"])
            elif event.get("method") == "Log.entryAdded":
                found.append(params["entry"]["text"])
            elif event.get("method") == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith("data:") and params.get("type") != "Document":
                    found.append(f"request: {url}")
        self.events = []
        return found
