"""What the program says on standard error beside an answer: notes, and what it is at, on a machine that is slow."""

PROGRESS = r"attn: (?:checking|computing|drawing|grading|reading|writing)\b"
BEGIN = rf"(?:attn: note: |{PROGRESS})"

# Any number of such lines, and nothing else.
NOTES = rf"(?:{BEGIN}.*\n)*"
