"""Runs a program in a terminal that only pretends to be one."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios


def in_terminal(command, columns=80, **more):
    """The exit code, and what the command writes to a terminal of so many columns, byte for byte.

    Our own handle of the terminal's side stays open until everything is read: where the last one is
    closed while the reader is about to wait, Linux may tell "closed" before what was written.
    """
    ours, its = pty.openpty()
    try:
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        settings = termios.tcgetattr(its)
        settings[1] &= ~termios.OPOST
        termios.tcsetattr(its, termios.TCSANOW, settings)
        process = subprocess.Popen(command, **{"stdin": its, "stdout": its, "stderr": its, **more})
        written = b""
        while True:
            ended = process.poll() is not None
            if select.select([ours], [], [], 0 if ended else 0.01)[0]:
                written += os.read(ours, 1 << 16)
            elif ended:
                return process.returncode, written
    finally:
        os.close(ours)
        os.close(its)
