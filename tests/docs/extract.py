"""Prints the C++ of a document that begins with the comment `// PATH`: what its readers are told to write.

    extract.py docs/adding.md src/model/scores/gaussian.cpp
"""

import re
import sys

document, path = sys.argv[1:]
with open(document, encoding="utf-8") as file:
    blocks = re.findall(r"^```cpp\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
found = [block for block in blocks if block.startswith(f"// {path}\n")]
if len(found) != 1:
    sys.exit(f"{document} has {len(found)} blocks for {path}")
print(found[0], end="")
