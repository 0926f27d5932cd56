"""What checks and comparisons come to."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, cast

from . import _core
from ._shown import framed


class _Told:
    """Something that people are told, and programs too."""

    def __init__(self, told: _core.Told) -> None:
        self._told = told
        self.data: Dict[str, Any] = json.loads(told.json)

    def written(self, format: str = "text", *, width: int = 80, ascii: bool = False, full: bool = False) -> str:
        """All of it in a format for people: text, markdown, latex, html."""
        return self._told.written(format, _core.Looks(width, ascii, full))

    def __str__(self) -> str:
        return self.written().rstrip("\n")

    def _repr_html_(self) -> str:
        return framed(self.written("html"))


class Report(_Told):
    """Marked answers: what :func:`attn.check` says.

    ``data`` is the object that ``attn check --format json`` writes.
    """

    @property
    def verdict(self) -> str:
        """``"right"``, ``"wrong"`` or ``"incomplete"``."""
        return cast(str, self.data["verdict"])

    @property
    def first_wrong(self) -> Optional[str]:
        """The id of the first step that was handed in and has a wrong number."""
        return cast(Optional[str], self.data["first_wrong"])

    @property
    def steps(self) -> List[Dict[str, Any]]:
        """For each step how many numbers are right, wrong, …, and which are not right (indices from 1)."""
        return cast(List[Dict[str, Any]], self.data["steps"])

    @property
    def diagnoses(self) -> List[Dict[str, Any]]:
        """What probably happened: ``mistake``, ``step``, ``message``, ``hint``, …"""
        return cast(List[Dict[str, Any]], self.data.get("diagnoses", []))

    def __repr__(self) -> str:
        wrong = f", first wrong in {self.first_wrong}" if self.first_wrong else ""
        return f"<attn.Report: {self.verdict}{wrong}>"


class Difference(_Told):
    """A comparison: what :func:`attn.diff` says.

    ``data`` is the object that ``attn diff --format json`` writes.
    """

    @property
    def equal(self) -> bool:
        """Whether all that both have is the same."""
        return cast(bool, self.data["equal"])

    @property
    def first_different(self) -> Optional[str]:
        """The id of the first step that differs."""
        return cast(Optional[str], self.data["first_different"])

    @property
    def explanations(self) -> List[Dict[str, Any]]:
        """What explains it: ``id`` of a mistake or convention, ``what`` in words, the steps that ``agree`` with it."""
        return cast(List[Dict[str, Any]], self.data["explanations"])

    @property
    def steps(self) -> List[Dict[str, Any]]:
        """Each step with its ``verdict`` and how far apart the two are."""
        return cast(List[Dict[str, Any]], self.data["steps"])

    def __repr__(self) -> str:
        return "<attn.Difference: none>" if self.equal else f"<attn.Difference: first in {self.first_different}>"
