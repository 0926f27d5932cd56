"""What is wrong with a problem, as an exception."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Optional, Sequence, Tuple


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, and where.

    ``line`` and ``column`` count from 1 and are there where a file has such a place;
    ``pointer`` is a JSON Pointer into the problem and counts from 0: ``/weights/key/1``.
    """

    file: Optional[str]
    line: Optional[int]
    column: Optional[int]
    pointer: str
    message: str
    help: Optional[str]


class ProblemError(ValueError):
    """A problem is faulty, or a file of answers or of numbers.

    ``faults`` holds all that is wrong, up to 20 of them; ``str()`` says it as the program does.
    """

    faults: Sequence[Fault]

    def __init__(self, message: str, faults: Sequence[Fault] = ()) -> None:
        super().__init__(message)
        self.faults = tuple(faults)


def subscripts(pointer: str) -> str:
    """A JSON Pointer as Python has it: ``/weights/key/1`` is ``["weights"]["key"][1]``."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    return "".join(f"[{step}]" if step.isdigit() else f"[{json.dumps(step, ensure_ascii=False)}]" for step in steps)


def problem_error(said: str, faults: Sequence[Tuple[Any, ...]], unkept: int) -> ProblemError:
    """The exception for faults that the core found; what has no file is told by subscripts."""
    found = [Fault(*fault) for fault in faults]
    if found and found[0].file is None:
        lines = []
        for fault in found:
            place = subscripts(fault.pointer)
            lines.append(f"{place}: {fault.message}" if place else fault.message)
            if fault.help:
                lines.append(f"  help: {fault.help}")
        if unkept:
            lines.append(f"and {unkept} more")
        said = "\n".join(lines)
    return ProblemError(said, found)
