"""What a GPU's clocks and power were while something ran on it, as nvidia-smi says."""

import contextlib
import subprocess
import threading
import time

FIELDS = ["clocks.sm", "clocks.mem", "power.draw", "temperature.gpu"]
THROTTLED = "clocks_event_reasons.active"  # older drivers have another name for it
# What stands in the way of a higher clock: nvml.h, nvmlClocksEventReason….
REASONS = {0x4: "the power cap", 0x8: "slowing down", 0x20: "heat", 0x40: "heat", 0x80: "the power brake"}
EVERY = 0.5  # seconds


def sample(fields):
    """One reading, each field by its name, or None."""
    try:
        done = subprocess.run(["nvidia-smi", "--id=0", "--query-gpu=" + ",".join(fields), "--format=csv,noheader,nounits"],
                              capture_output=True, encoding="utf-8", timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    values = [value.strip() for value in done.stdout.strip().split(",")]
    if done.returncode != 0 or len(values) != len(fields):
        return None
    read = {"at": round(time.monotonic(), 3)}
    for field, value in zip(fields, values):
        with contextlib.suppress(ValueError):  # "[N/A]"
            read[field] = int(value, 16) if value.startswith("0x") else float(value)
    return read


class Clocks:
    """Reads them before, during and after what runs within `watching`."""

    def __init__(self):
        self.fields = next((fields for fields in (FIELDS + [THROTTLED], FIELDS) if sample(fields)), None)

    @contextlib.contextmanager
    def watching(self):
        """Gives a list that fills meanwhile; it stays empty where nvidia-smi says nothing."""
        seen, is_over = [], threading.Event()

        def read():
            one = sample(self.fields)
            if one:
                seen.append(one)

        def read_on():
            while not is_over.wait(EVERY):
                read()
        if not self.fields:
            yield seen
            return
        read()
        reader = threading.Thread(target=read_on)
        reader.start()
        try:
            yield seen
        finally:
            is_over.set()
            reader.join()
            read()


def reasons_of(seen):
    bits = 0
    for one in seen:
        bits |= int(one.get(THROTTLED, 0))
    return sorted({reason for bit, reason in REASONS.items() if bits & bit})


def told(seen):
    """All of it in a sentence."""
    def span(field, unit):
        values = [one[field] for one in seen if field in one]
        if not values:
            return f"no {field}"
        least, most = min(values), max(values)
        return f"{least:.0f} {unit}" if least == most else f"{least:.0f}–{most:.0f} {unit}"
    if not seen:
        return "nvidia-smi says nothing of clocks and power."
    reasons = reasons_of(seen)
    return (f"By nvidia-smi before, during and after the shapes, {len(seen)} times: processors at {span('clocks.sm', 'MHz')}, "
            f"memory at {span('clocks.mem', 'MHz')}, {span('power.draw', 'W')}, {span('temperature.gpu', '°C')}; "
            f"held back by {' and '.join(reasons) if reasons else 'nothing'}.")
