"""Chromium, headless, spoken to over a pipe (the DevTools protocol)."""
import contextlib
import fcntl
import json
import os
import selectors
import subprocess
import tempfile
import time

SECONDS = 30  # for one answer


class Chromium:
    """One program with any number of tabs, one after the other."""

    def __init__(self, profile, log, before=()):
        ours, self._write = os.pipe()
        self._read, theirs = os.pipe()
        # It reads from 3 and writes to 4, which may be taken here.
        far = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (ours, theirs)]

        def become_its_pipes():
            os.dup2(far[0], 3)
            os.dup2(far[1], 4)

        self._process = subprocess.Popen(
            [*before, "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
             "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows",
             "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=(3, 4),
            preexec_fn=become_its_pipes)
        for end in (ours, theirs, *far):
            os.close(end)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._read, selectors.EVENT_READ)
        self._buffer = b""
        self._calls = 0
        self.events = []

    def call(self, method, session=None, **parameters):
        self._calls += 1
        message = {"id": self._calls, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        answer = self._hear(lambda one: one.get("id") == self._calls, method)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def wait_for(self, method, session):
        """An event that comes, or came since `events` was emptied."""
        for event in self.events:
            if event["method"] == method and event.get("sessionId") == session:
                return event
        return self._hear(lambda one: one.get("method") == method
                          and one.get("sessionId") == session, method)

    def _hear(self, wanted, what):
        deadline = time.monotonic() + SECONDS
        while True:
            while b"\0" in self._buffer:
                text, self._buffer = self._buffer.split(b"\0", 1)
                message = json.loads(text)
                if "method" in message:
                    self.events.append(message)
                if wanted(message):
                    return message
            if not self._selector.select(deadline - time.monotonic()):
                raise TimeoutError(f"{what}: Chromium says nothing for {SECONDS} s")
            chunk = os.read(self._read, 1 << 20)
            if not chunk:
                raise RuntimeError(f"{what}: Chromium has ended")
            self._buffer += chunk

    def end(self):
        with contextlib.suppress(BrokenPipeError):
            os.write(self._write, b'{"id": 0, "method": "Browser.close"}\0')
        try:
            self._process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._write)
        os.close(self._read)


class Tab:
    def __init__(self, chromium):
        self._chromium = chromium
        target = chromium.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = chromium.call("Target.attachToTarget", targetId=target,
                                      flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        return self._chromium.call(method, self._session, **parameters)

    def look_like(self, width, height, scheme, mobile):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=mobile)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, url):
        self.expect_load()
        went = self.call("Page.navigate", url=url)
        if "errorText" in went:
            raise RuntimeError(f"{url}: {went['errorText']}")
        self.wait_for_load()

    def expect_load(self):
        """Before what makes the tab load another page."""
        self._chromium.events.clear()

    def wait_for_load(self):
        self._chromium.wait_for("Page.loadEventFired", self._session)

    def forget(self):
        """All cookies."""
        self.call("Network.clearBrowserCookies")

    def requests(self):
        """URL and headers of each since expect_load(); `Network.enable` comes first."""
        return [event["params"]["request"] for event in self._chromium.events
                if event.get("sessionId") == self._session and event["method"] == "Network.requestWillBeSent"]

    def cookies(self):
        return self._chromium.call("Storage.getCookies")["cookies"]

    def evaluate(self, expression):
        done = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                         awaitPromise=True)
        if "exceptionDetails" in done:
            raise RuntimeError(f"{expression[:80]}: {done['exceptionDetails']}")
        return done["result"].get("value")

    def picture(self):
        """The whole page, as a PNG in base64."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return self.call("Page.captureScreenshot", captureBeyondViewport=True,
                         clip=size | {"scale": 1})["data"]

    def complaints(self):
        """What Chromium said of the page since it was opened."""
        said = []
        for event in self._chromium.events:
            if event.get("sessionId") != self._session:
                continue
            if event["method"] == "Log.entryAdded":
                said.append(event["params"]["entry"]["text"])
            elif event["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
                said.append(json.dumps(event["params"]))
        return said


@contextlib.contextmanager
def running(before=()):
    """`before`: words that run it elsewhere, as in another network namespace."""
    with tempfile.TemporaryDirectory() as profile, tempfile.TemporaryFile() as log:
        chromium = Chromium(profile, log, before)
        try:
            yield chromium
        except BaseException:
            log.seek(0)
            print(log.read().decode(errors="replace")[-4000:])
            raise
        finally:
            chromium.end()
