"""A browser without a window, for tests of pages; a reason to skip where there is none."""

import base64
import json
import os
import shutil
import sys

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys
except ImportError:
    webdriver = None

from firefox import FIREFOX, Firefox
from waiting import Waiting

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver") or shutil.which("chromedriver", path="/usr/bin:/usr/lib/chromium")


# Which of them pages are opened in: chromium, or firefox.
CHOSEN = os.environ.get("ATTN_BROWSER", "chromium")


def open_browser():
    return Firefox() if CHOSEN == "firefox" else Browser()


def skip_without_browser():
    """Ends the test as skipped where no page can be opened."""
    missing = [] if FIREFOX else ["firefox-esr"]
    if CHOSEN == "chromium":
        missing = [name for name, found in [("python3-selenium", webdriver), ("chromium", CHROMIUM),
                                            ("chromium-driver", DRIVER)] if not found]
    if missing:
        print("skipped: no " + ", no ".join(missing))
        sys.exit(77)


class Browser(Waiting):
    def __init__(self, width=1280, height=900):
        options = Options()
        options.binary_location = CHROMIUM
        for word in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--disable-background-networking", f"--window-size={width},{height}"]:
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        self.driver.set_page_load_timeout(60)

    def close(self):
        self.driver.quit()

    def resize(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def open(self, path, hash=""):
        self.driver.get("about:blank")
        self.complaints()
        self.requests()
        self.driver.get("file://" + os.path.abspath(path) + hash)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def press(self, *keys):
        """Keys as a person presses them: "n", "Enter", "Shift+Tab"."""
        special = {"Enter": "ENTER", "Tab": "TAB", "Escape": "ESCAPE", "Home": "HOME", "End": "END",
                   "PageUp": "PAGE_UP", "PageDown": "PAGE_DOWN", "ArrowLeft": "ARROW_LEFT", "ArrowUp": "ARROW_UP",
                   "ArrowRight": "ARROW_RIGHT", "ArrowDown": "ARROW_DOWN"}
        for key in keys:
            shift = key.startswith("Shift+")
            key = key.removeprefix("Shift+")
            actions = ActionChains(self.driver, duration=0)
            if shift:
                actions.key_down(Keys.SHIFT)
            actions.send_keys(getattr(Keys, special[key]) if key in special else key)
            if shift:
                actions.key_up(Keys.SHIFT)
            actions.perform()

    def set_script(self, enabled):
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not enabled})

    def set_paper(self, mode):
        """Light or dark, as the reader's device has it; "" as it was."""
        features = [{"name": "prefers-color-scheme", "value": mode}] if mode else []
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def set_touch(self, enabled):
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": enabled})

    def printed(self):
        """The page as PDF, on the paper that it asks for."""
        return base64.b64decode(self.driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"])

    def complaints(self):
        """What the console says since it was last asked."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """What was requested since it was last asked."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [event["params"]["request"]["url"] for event in events
                if event["method"] == "Network.requestWillBeSent"]
