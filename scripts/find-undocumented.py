#!/usr/bin/env python3
"""Lists what a module offers without a word about it.

Usage: scripts/find-undocumented.py Sources/CurlNetworking [more folders]

A public declaration, and each requirement of a public protocol, needs a doc comment right above it
(attributes may stand between). Exempt are:
- requirements of the standard library's protocols and of result builders, overrides, and cases and
  constants that only repeat Apple's names;
- what implements a requirement that is documented in its protocol, as DocC shows that comment;
- initializers that only take properties of their type, each with a comment of its own.
Exits with 1 when anything is listed.
"""
import pathlib
import re
import sys

PUBLIC = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)(?:\s+(?:private|package|internal|fileprivate)\(set\))?\s+"
    r"(?:(?:final|static|class|mutating|required|convenience|nonisolated|override|indirect|weak|lazy|unowned)\s+)*"
    r"(struct|class|enum|protocol|actor|func|var|let|init\??|subscript|typealias)\b\s*([\w`]*)"
)
REQUIREMENT = re.compile(
    r"^    (?:@\w+(?:\([^)]*\))?\s+)*(?:(?:static|mutating|nonisolated)\s+)*"
    r"(func|var|init\??|subscript)\b\s*([\w`]*)"
)
PROTOCOL = re.compile(r"^(?:@\w+(?:\([^)]*\))?\s+)*public protocol (\w+)")
# With its depth: that of the type's initializers.
PROPERTY = re.compile(r"^(\s*)(?:public|open)\b.*?\b(?:let|var) (\w+)")
EXEMPT_NAMES = {"hash", "description", "debugDescription", "rawValue", "makeAsyncIterator", "next",
                "Element", "==", "errorDescription", "_domain", "_code", "init"}
# Apple's, repeated name by name; sessions have none.
EXEMPT_PROTOCOLS = {"URLAuthenticationChallengeSender"}


def is_documented(lines, number):
    above = number - 1
    while above >= 0 and lines[above].strip().startswith("@"):
        above -= 1
    return above >= 0 and lines[above].strip().startswith("///")


def parameters(lines, number):
    """The parameters of a function that begins in a line, each as its label and its own name."""
    text = "".join(line.strip() + " " for line in lines[number:number + 12])
    depth, parts = 0, [""]
    for character in text[text.find("("):] if "(" in text else "":
        if character in ")]}":
            depth -= 1
        if character == "," and depth == 1:
            parts.append("")
        elif depth > 0:
            parts[-1] += character
        if character in "([{":
            depth += 1
        if depth == 0:
            break
    names = [re.sub(r"@\w+\s+", "", p).split(":")[0].split() for p in parts if ":" in p]
    return [(words[0], words[-1]) for words in names]


def signature(lines, number, kind, name):
    labels = [label for label, _ in parameters(lines, number)] if kind not in ("var", "let") else []
    return name, *labels


def requirements(path):
    """Each requirement of the public protocols in a file: protocol, line and signature."""
    lines, protocol = path.read_text().splitlines(), None
    for number, line in enumerate(lines):
        if line and not line[0].isspace():
            found = PROTOCOL.match(line)
            protocol = found and found[1]
        match = protocol and REQUIREMENT.match(line)
        if match:
            kind, name = match.groups()
            yield protocol, number, signature(lines, number, kind, name)


def implements(header, signature, documented):
    """Whether the type or extension with this header takes a requirement's comment over."""
    names = re.findall(r"\w+", header)
    return any((name, signature) in documented for name in names)


def only_takes_properties(lines, number):
    """Whether all that an initializer takes are properties with comments, in the same block."""
    depth = len(lines[number]) - len(lines[number].lstrip())
    is_outside = [bool(line.strip()) and len(line) - len(line.lstrip()) < depth for line in lines]
    start = max((at for at in range(number) if is_outside[at]), default=-1)
    end = next((at for at in range(number, len(lines)) if is_outside[at]), len(lines))
    documented = {
        found[2] for at in range(start + 1, end)
        if (found := PROPERTY.match(lines[at])) and len(found[1]) == depth and is_documented(lines, at)
    }
    names = {name for _, name in parameters(lines, number)}
    return bool(names) and names <= documented


def undocumented(path, inherited):
    lines = path.read_text().splitlines()
    for protocol, number, _ in requirements(path):
        if protocol not in EXEMPT_PROTOCOLS and not is_documented(lines, number):
            yield number + 1, lines[number].strip()
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
        if is_documented(lines, number):
            continue
        if kind in ("init", "init?") and "rawValue" in line or name in EXEMPT_NAMES and kind != "init":
            continue
        if re.search(r"static (let|var) \w+(: Code)? (= Self\(rawValue|\{( \.|$))", line):
            continue
        if re.search(r"static func (==|<|~=|build[A-Z])|init\(\w+Literal\b", line):
            continue
        # Members of the type itself; what lies deeper belongs to a type in it.
        is_member = len(line) - len(line.lstrip()) == 4
        if is_member and implements(extended, signature(lines, number, kind, name), inherited):
            continue
        if kind in ("init", "init?") and only_takes_properties(lines, number):
            continue
        yield number + 1, line.strip()


found = 0
folders = [pathlib.Path(folder) for folder in sys.argv[1:] or ["Sources/CurlNetworking"]]
paths = [path for folder in folders for path in sorted(folder.rglob("*.swift"))]
inherited = set()
for path in paths:
    text = path.read_text().splitlines()
    for protocol, number, requirement in requirements(path):
        if is_documented(text, number):
            inherited.add((protocol, requirement))
for path in paths:
    for number, line in sorted(undocumented(path, inherited)):
        print(f"{path}:{number}: {line}")
        found += 1
sys.exit(1 if found else 0)
