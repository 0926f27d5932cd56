"""What a notebook shows of the program's pages."""

from __future__ import annotations

import html


def framed(page: str, height: int = 640) -> str:
    """A whole page within the output of a cell: in a frame, so that neither styles the other."""
    return (f'<iframe srcdoc="{html.escape(page)}" style="width: 100%; height: {height}px; border: 0; '
            'resize: vertical; overflow: auto" title="attn"></iframe>')
