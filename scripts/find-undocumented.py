#!/usr/bin/env python3
"""Lists what a module offers without a word about it.

Usage: scripts/find-undocumented.py Sources/CurlNetworking [more folders]

A public declaration needs a doc comment right above it (attributes may stand between). Exempt are the
requirements of the standard library's protocols, which say what they do by their names, cases and
constants that only repeat Apple's names, and overrides. Exits with 1 when anything is listed.
"""
import pathlib
import re
import sys

PUBLIC = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)(?:\s+(?:private|package|internal|fileprivate)\(set\))?\s+"
    r"(?:(?:final|static|class|mutating|required|convenience|nonisolated|override|indirect)\s+)*"
    r"(struct|class|enum|protocol|actor|func|var|let|init\??|subscript|typealias)\b\s*([\w`]*)"
)
EXEMPT_NAMES = {"hash", "description", "debugDescription", "rawValue", "makeAsyncIterator", "next",
                "Element", "==", "errorDescription", "_domain", "_code", "init"}


def undocumented(path):
    lines = path.read_text().splitlines()
    extended = ""
    for number, line in enumerate(lines):
        if line and not line[0].isspace():
            extended = line
        # What a delegate need not implement is said where its protocol asks for it.
        if re.match(r"extension \w+Delegate \{", extended):
            continue
        match = PUBLIC.match(line)
        if not match or "override" in line.split("{")[0] or "import " in line:
            continue
        kind, name = match.groups()
        above = number - 1
        while above >= 0 and lines[above].strip().startswith("@"):
            above -= 1
        if above >= 0 and lines[above].strip().startswith("///"):
            continue
        if kind in ("init", "init?") and "rawValue" in line or name in EXEMPT_NAMES and kind != "init":
            continue
        if re.search(r"static (let|var) \w+(: Code)? (= Self\(rawValue|\{( \.|$))", line):
            continue
        if re.search(r"static func (==|<|~=)", line):
            continue
        yield number + 1, line.strip()


found = 0
for folder in sys.argv[1:] or ["Sources/CurlNetworking"]:
    for path in sorted(pathlib.Path(folder).rglob("*.swift")):
        for number, line in undocumented(path):
            print(f"{path}:{number}: {line}")
            found += 1
sys.exit(1 if found else 0)
