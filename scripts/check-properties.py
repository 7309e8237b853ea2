#!/usr/bin/env python3
"""Says which types have more than 15 mutable stored properties: what changes together belongs in a value of its own.

    scripts/check-properties.py Sources

Reads the formatted source by its indentation, as `swift format` leaves it.
"""
import pathlib
import re
import sys

LIMIT = 15
ATTRIBUTES = r"(?:@\w+(?:\([^)]*\))? )*"
MODIFIERS = r"(?:(?:public|open|package|internal|fileprivate|private|final|weak|unowned|lazy|override|nonisolated)(?:\(\w+\))? )*"
TYPE = re.compile(rf"^( *){ATTRIBUTES}{MODIFIERS}(?:indirect )?(?:class|struct|actor|enum) (\w+)")
PROPERTY = re.compile(rf"^( *){ATTRIBUTES}{MODIFIERS}var (\w+)(.*)$")


def is_stored(rest, following):
    """Computed ones have a block that is neither an initial value nor an observer."""
    head = rest.split("{")[0]
    if "=" in head or "{" not in rest:
        return True
    return following.strip().startswith(("didSet", "willSet")) or " didSet " in rest


def count(lines, start, indentation):
    """How many mutable stored properties the type has that begins on a line."""
    found = 0
    for index in range(start + 1, len(lines)):
        line = lines[index]
        if line.startswith(" " * indentation + "}"):
            break
        match = PROPERTY.match(line)
        if not match or len(match[1]) != indentation + 4:
            continue
        found += is_stored(match[3], lines[index + 1] if index + 1 < len(lines) else "")
    return found


def main():
    status = 0
    for folder in sys.argv[1:]:
        for path in sorted(pathlib.Path(folder).rglob("*.swift")):
            lines = path.read_text().split("\n")
            for index, line in enumerate(lines):
                match = TYPE.match(line)
                if not match:
                    continue
                found = count(lines, index, len(match[1]))
                if found > LIMIT:
                    print(f"{path}:{index + 1}: {match[2]} has {found} mutable stored properties, and may have {LIMIT}")
                    status = 1
    return status


sys.exit(main())
