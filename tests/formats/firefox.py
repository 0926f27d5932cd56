"""Firefox without a window, spoken to as Marionette: what browser.Browser does, in another engine."""

import base64
import itertools
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

from waiting import Waiting

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")

KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Shift": "\ue008", "Escape": "\ue00c", "PageUp": "\ue00e", "PageDown": "\ue00f",
        "End": "\ue010", "Home": "\ue011", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014",
        "ArrowDown": "\ue015"}

PREFERENCES = {"marionette.port": 0, "datareporting.policy.dataSubmissionEnabled": False,
               "app.update.auto": False, "browser.shell.checkDefaultBrowser": False, "browser.startup.page": 0,
               "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
               "services.settings.server": "data:,", "toolkit.telemetry.enabled": False}


class Marionette:
    """Firefox's own protocol: `length:[0, number, command, arguments]`, answered by `[1, number, error, result]`."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.bytes = b""
        self.numbers = itertools.count(1)
        self.receive()

    def receive(self):
        while b":" not in self.bytes:
            self.bytes += self.more()
        length, _, self.bytes = self.bytes.partition(b":")
        while len(self.bytes) < int(length):
            self.bytes += self.more()
        message, self.bytes = self.bytes[:int(length)], self.bytes[int(length):]
        return json.loads(message)

    def more(self):
        received = self.socket.recv(1 << 20)
        if not received:
            raise ConnectionError("Firefox has gone")
        return received

    def call(self, command, **arguments):
        message = json.dumps([0, next(self.numbers), command, arguments]).encode()
        self.socket.sendall(str(len(message)).encode() + b":" + message)
        _, _, error, result = self.receive()
        if error:
            raise RuntimeError(f"{command}: {error['message']}")
        return result["value"] if isinstance(result, dict) and "value" in result else result


class Firefox(Waiting):
    def __init__(self, width=1280, height=900):
        self.profile = tempfile.mkdtemp(prefix="attn-firefox-")
        with open(os.path.join(self.profile, "user.js"), "w", encoding="utf-8") as file:
            for name, value in PREFERENCES.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        self.process = subprocess.Popen([FIREFOX, "--headless", "--no-remote", "--marionette", "--remote-allow-system-access", "--profile", self.profile],
                                        env={**os.environ, "HOME": self.profile, "MOZ_HEADLESS_WIDTH": "2000",
                                             "MOZ_HEADLESS_HEIGHT": "1300"},
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.call = Marionette(self.port()).call
            self.call("WebDriver:NewSession", capabilities={})
            self.resize(width, height)
        except Exception:
            self.process.kill()
            raise

    def port(self):
        path = os.path.join(self.profile, "MarionetteActivePort")
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if os.path.exists(path):
                with open(path, encoding="ascii") as file:
                    text = file.read()
                if text.strip():
                    return int(text)
            time.sleep(0.05)
        raise TimeoutError("Firefox does not come")

    def close(self):
        try:
            self.call("Marionette:Quit", flags=["eForceQuit"])
        finally:
            self.process.wait(timeout=30)
            shutil.rmtree(self.profile, ignore_errors=True)

    def behind(self, script, *arguments):
        """Runs a script in the browser itself."""
        self.call("Marionette:SetContext", value="chrome")
        try:
            return self.call("WebDriver:ExecuteScript", script=script, args=list(arguments))
        finally:
            self.call("Marionette:SetContext", value="content")

    def prefer(self, name, value):
        kind = {bool: "Bool", int: "Int"}.get(type(value), "String")
        self.behind(f"Services.prefs.set{kind}Pref(...arguments);", name, value)

    def resize(self, width, height):
        self.behind("""
            const browser = gBrowser.selectedBrowser;
            for (const [name, size] of [["width", arguments[0]], ["height", arguments[1]]]) {
              for (const one of [name, `min-${name}`, `max-${name}`]) browser.style.setProperty(one, `${size}px`, "important");
            }""", width, height)
        if not self.eventually(f"return innerWidth === {width} && innerHeight === {height};"):
            raise TimeoutError("Firefox keeps its size")

    def open(self, path, hash=""):
        self.call("WebDriver:Navigate", url="about:blank")
        self.behind("Services.console.reset();")
        self.call("WebDriver:Navigate", url="file://" + os.path.abspath(path) + hash)

    def run(self, script, *arguments):
        return self.call("WebDriver:ExecuteScript", script=script, args=list(arguments))

    def press(self, *keys):
        for key in keys:
            shift = key.startswith("Shift+")
            key = key.removeprefix("Shift+")
            value = KEYS.get(key, key)
            strokes = [("keyDown", value), ("keyUp", value)]
            if shift:
                strokes = [("keyDown", KEYS["Shift"]), *strokes, ("keyUp", KEYS["Shift"])]
            self.call("WebDriver:PerformActions", actions=[{
                "type": "key", "id": "keys", "actions": [{"type": kind, "value": one} for kind, one in strokes]}])

    def set_script(self, enabled):
        self.prefer("javascript.enabled", enabled)

    def set_paper(self, mode):
        self.prefer("layout.css.prefers-color-scheme.content-override", {"dark": 0, "light": 1}.get(mode, 2))

    def set_touch(self, enabled):
        self.prefer("ui.primaryPointerCapabilities", 1 if enabled else 6)  # coarse, or fine and hovering
        self.prefer("ui.allPointerCapabilities", 1 if enabled else 6)

    def printed(self):
        # As large as @page says; what else there is to a sheet is the page's own.
        return base64.b64decode(self.call("WebDriver:Print", page={"width": 20.99, "height": 29.7}, background=False))

    def complaints(self):
        """What the console says since a page was opened."""
        return self.behind("""
            return Services.console.getMessageArray()
                .filter((one) => one instanceof Ci.nsIScriptError && /content|CSP|Security/.test(one.category))
                .filter((one) => !(one.flags & (Ci.nsIScriptError.warningFlag | Ci.nsIScriptError.infoFlag)))
                .map((one) => one.errorMessage);""")

    def requests(self):
        return self.run("return [location.href, ...performance.getEntriesByType('resource').map((one) => one.name)];")
