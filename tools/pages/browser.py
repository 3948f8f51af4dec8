# SPDX-License-Identifier: GPL-3.0-or-later
"""Chromium without a screen, spoken to over two pipes (https://chromedevtools.github.io/devtools-protocol/): no port, no
driver and no package are needed. A profile of its own; nothing is fetched but files."""
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

ANSWER_S = 120


def find():
    """The program, or None."""
    return shutil.which("chromium") or shutil.which("google-chrome")


class BrowserFailed(Exception):
    pass


class Browser:
    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self.to = os.pipe()
        self.back, theirs_out = os.pipe()
        # Out of the way of 3 and 4, which are the numbers that the browser reads and writes.
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (theirs_in, theirs_out)]

        def place():
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.errors = open(pathlib.Path(self.profile.name) / "stderr.txt", "wb+")
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
             "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
             "--user-data-dir=" + self.profile.name],
            preexec_fn=place, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=self.errors)
        for fd in (theirs_in, theirs_out, *high):
            os.close(fd)
        self.number, self.rest, self.events = 0, b"", []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(20)
        except (BrowserFailed, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        self.errors.close()
        self.profile.cleanup()

    def _read(self, until):
        """The next message; events are kept."""
        while b"\0" not in self.rest:
            if not select.select([self.back], [], [], max(0, until - time.monotonic()))[0]:
                raise BrowserFailed("the browser did not answer in %d s" % ANSWER_S)
            part = os.read(self.back, 1 << 20)
            if not part:
                self.errors.seek(0)
                raise BrowserFailed("the browser ended: " + self.errors.read()[-800:].decode(errors="replace"))
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(message)
        if "method" in message:
            self.events.append(message)
        return message

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if getattr(self, "session", None) and not method.startswith("Browser."):
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        until = time.monotonic() + ANSWER_S
        while True:
            answer = self._read(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise BrowserFailed(method + ": " + answer["error"]["message"])
                return answer["result"]

    def show(self, width, height=900, scheme="light", media="screen"):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path):
        """Loads a file. Gives what the page said or asked for that it should not have."""
        self.events = []
        answer = self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        if "errorText" in answer:
            raise BrowserFailed("%s: %s" % (path, answer["errorText"]))
        until = time.monotonic() + ANSWER_S
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self._read(until)
        said = []
        for event in self.events:
            params = event["params"]
            if event["method"] == "Network.requestWillBeSent":
                if not params["request"]["url"].startswith(("file:", "data:")):
                    said.append("asks for " + params["request"]["url"])
            elif event["method"] == "Network.loadingFailed":
                said.append("a file cannot be loaded: " + params["errorText"])
            elif event["method"] == "Log.entryAdded":
                said.append("the console says: " + params["entry"]["text"])
            elif event["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
                said.append("a script ran: " + json.dumps(params)[:200])
        return said

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise BrowserFailed("the script failed: " + json.dumps(answer["exceptionDetails"])[:800])
        return answer["result"].get("value")
