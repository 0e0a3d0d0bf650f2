"""A page in headless Chromium, spoken to over --remote-debugging-pipe: no port, no driver, nothing to download."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find():
    """The browser's path, or None."""
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    return None


class Chromium:
    """One browser with one page. What it asked for and complained about is in .requests and .complaints."""

    def __init__(self, seconds=120):
        self.deadline = time.monotonic() + seconds
        self.number = 0
        self.pending = b""
        self.events = []
        self.session = None
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
        # Above 9, so that giving them the numbers 3 and 4 in the child overwrites neither.
        child_in = fcntl.fcntl(to_read, fcntl.F_DUPFD, 10)
        child_out = fcntl.fcntl(from_write, fcntl.F_DUPFD, 10)
        command = [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
                   "--hide-scrollbars", "--force-color-profile=srgb", "--user-data-dir=" + self.profile.name,
                   "--remote-debugging-pipe", "about:blank"]
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            ["/bin/bash", "-c", f'exec "$@" 3<&{child_in} 4>&{child_out} {child_in}<&- {child_out}>&-', "bash"]
            + command, pass_fds=(child_in, child_out), stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.profile.name}, start_new_session=True)
        for fd in (to_read, from_write, child_in, child_out):
            os.close(fd)
        self.to, self.back = to_write, from_read
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def receive(self):
        while b"\0" not in self.pending:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                raise TimeoutError("chromium does not answer")
            piece = os.read(self.back, 1 << 20)
            if not piece:
                self.log.seek(0)
                raise ConnectionError("chromium ended: " + self.log.read().decode(errors="replace")[-2000:])
            self.pending += piece
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def open(self, path):
        """Loads the file and waits until it is whole."""
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.receive())

    def evaluate(self, script):
        """The value of the expression; objects come as they are in JSON."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def view(self, width, height=900, dark=False, media=""):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def allow_scripts(self, allowed):
        self.call("Emulation.setScriptExecutionDisabled", value=not allowed)

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]

    def complaints(self):
        """What the console shows: errors, warnings, refused loads, exceptions."""
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(parameters["exceptionDetails"]["text"])
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                found.append(json.dumps(parameters["args"]))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append(parameters["entry"]["text"])
            elif method == "Page.javascriptDialogOpening":
                found.append("dialog: " + parameters["message"])
        return found

    def screenshot(self, path, whole=True, top=0, height=None):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": top, "width": size["width"], "scale": 1,
                "height": height or (size["height"] - top if whole else 900)}
        data = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self, path, width=8.27, height=11.69):
        """On paper of so many inches."""
        data = self.call("Page.printToPDF", printBackground=False, paperWidth=width, paperHeight=height)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        self.session = None
        try:
            self.call("Browser.close")
            self.process.wait(20)
        except (OSError, RuntimeError, TimeoutError, ConnectionError, subprocess.TimeoutExpired):
            os.killpg(self.process.pid, 9)
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        self.log.close()
        self.profile.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
