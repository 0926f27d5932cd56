"""What every browser of the tests does in the same way, whatever it is spoken to as."""

import time


class Waiting:
    """Waits for what a page does by itself. REQUIRES: run(script) of whoever inherits it."""

    def eventually(self, script, seconds=5):
        """Whether the script comes to say yes."""
        end = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True
