#!/usr/bin/env python3
"""Writes Sources/TextEditing/Unicode/ScalarTable.swift.

The table says, for every Unicode scalar, how many terminal cells it takes, how it takes part in
grapheme cluster breaking (UAX #29) and whether it must be made visible. The data comes from the
`wcwidth` package, which carries the Unicode Character Database's tables in its newest version:

    python3 -m venv venv && venv/bin/pip install wcwidth==0.9.4
    venv/bin/python scripts/generate-cell-widths.py
"""

import pathlib
import unicodedata

import wcwidth
from wcwidth import table_grapheme as graphemes
from wcwidth.table_mc import CATEGORY_MC
from wcwidth.table_vs16 import VS16_NARROW_TO_WIDE
from wcwidth.table_wide import WIDE_EASTASIAN
from wcwidth.table_zero import ZERO_WIDTH

LIMIT = 0x110000
VERSION = wcwidth.list_versions()[-1]
BLOCK = 128

# Must match `BreakClass` and `ConjunctClass` in ScalarTraits.swift.
CLASSES = [
    "other", "carriageReturn", "lineFeed", "control", "extend", "joiner", "regionalIndicator",
    "prepend", "spacingMark", "hangulL", "hangulV", "hangulT", "hangulLV", "hangulLVT",
    "pictograph",
]


def paint(target, ranges, value):
    for low, high in ranges:
        for scalar in range(low, high + 1):
            target[scalar] = value


def break_classes():
    result = ["other"] * LIMIT
    paint(result, graphemes.EXTENDED_PICTOGRAPHIC, "pictograph")
    for name, ranges in [
        ("control", graphemes.GRAPHEME_CONTROL), ("extend", graphemes.GRAPHEME_EXTEND),
        ("regionalIndicator", graphemes.GRAPHEME_REGIONAL_INDICATOR),
        ("prepend", graphemes.GRAPHEME_PREPEND), ("spacingMark", graphemes.GRAPHEME_SPACINGMARK),
        ("hangulL", graphemes.GRAPHEME_L), ("hangulV", graphemes.GRAPHEME_V),
        ("hangulT", graphemes.GRAPHEME_T), ("hangulLV", graphemes.GRAPHEME_LV),
        ("hangulLVT", graphemes.GRAPHEME_LVT), ("carriageReturn", graphemes.GRAPHEME_CR),
        ("lineFeed", graphemes.GRAPHEME_LF), ("joiner", graphemes.GRAPHEME_ZWJ),
    ]:
        paint(result, ranges, name)
    return result


def conjunct_classes():
    """Indic_Conjunct_Break: 0 none, 1 consonant, 2 linker, 3 extend."""
    result = [0] * LIMIT
    paint(result, graphemes.INCB_EXTEND, 3)
    paint(result, graphemes.INCB_CONSONANT, 1)
    paint(result, graphemes.INCB_LINKER, 2)
    return result


def exposures():
    """0 shown as it is, 1 control, 2 hidden, 3 hidden unless its neighbours call for it."""
    result = [0] * LIMIT
    paint(result, [(0x00, 0x1F), (0x7F, 0x7F)], 1)
    paint(result, [
        (0x80, 0x9F), (0xAD, 0xAD), (0x61C, 0x61C), (0x115F, 0x1160), (0x180E, 0x180E),
        (0x200B, 0x200B), (0x200E, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
        (0xFDD0, 0xFDEF), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB),
        (0x13430, 0x1343F), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
    ], 2)
    paint(result, [(plane << 16 | 0xFFFE, plane << 16 | 0xFFFF) for plane in range(17)], 2)
    paint(result, [
        (0x34F, 0x34F), (0x17B4, 0x17B5), (0x180B, 0x180D), (0x180F, 0x180F), (0x200C, 0x200D),
        (0xFE00, 0xFE0F), (0xE0020, 0xE007F), (0xE0100, 0xE01EF),
    ], 3)
    return result


def packed_traits():
    """One 16-bit word per scalar; the layout is that of `ScalarTraits`."""
    classes, conjuncts, exposure = break_classes(), conjunct_classes(), exposures()
    width, spacing = [1] * LIMIT, [0] * LIMIT
    paint(width, WIDE_EASTASIAN[VERSION], 2)
    paint(width, ZERO_WIDTH[VERSION], 0)
    paint(spacing, CATEGORY_MC[VERSION], 1)
    widens, disputed = [0] * LIMIT, [0] * LIMIT
    paint(widens, VS16_NARROW_TO_WIDE["9.0.0"], 1)
    for scalar in range(0x80, LIMIT):
        # Terminals in use today disagree about what is newer than Unicode 14.
        newer = unicodedata.category(chr(scalar)) == "Cn" and (
            width[scalar] != 1 or classes[scalar] != "other")
        disputed[scalar] = 1 if newer else 0
    for scalar in range(LIMIT):
        if exposure[scalar] != 0 and width[scalar] != 0:
            width[scalar] = 1
    return [
        CLASSES.index(classes[s]) | width[s] << 5 | widens[s] << 7 | exposure[s] << 8
        | spacing[s] << 10 | disputed[s] << 11 | conjuncts[s] << 12
        for s in range(LIMIT)
    ]


def literal(values, base):
    """A multi-line Swift literal whose characters, from U+0023 on and without the backslash,
    are digits."""
    digits = [chr(c) for c in range(0x23, 0x7F) if c != 0x5C]
    text = "".join(digits[v] for v in values)
    assert base <= len(digits)
    lines = [text[i:i + 110] for i in range(0, len(text), 110)]
    return '"""\n    ' + "\\\n    ".join(lines) + '\n    """'


def main():
    words = packed_traits()
    kinds = sorted(set(words), key=lambda w: (w != words[0x41], w))
    assert len(kinds) <= 91, len(kinds)
    index = {word: i for i, word in enumerate(kinds)}
    blocks, stage1 = {}, []
    for start in range(0, LIMIT, BLOCK):
        key = tuple(index[w] for w in words[start:start + BLOCK])
        stage1.append(blocks.setdefault(key, len(blocks)))
    assert len(blocks) <= 91 * 91
    high_low = [part for b in stage1 for part in divmod(b, 91)]
    stage2 = [v for key in blocks for v in key]
    kind_text = ", ".join(f"0x{w:03X}" for w in kinds)
    kind_lines, line = [], "       "
    for word in kind_text.split(" "):
        if len(line) + len(word) > 96:
            kind_lines.append(line)
            line = "       "
        line += " " + word
    kind_lines.append(line)
    # "swift-format-ignore" keeps the long literals' lines as they are.
    text = f'''// Generated by scripts/generate-cell-widths.py from Unicode {VERSION}. Do not edit.

/// Packed traits of every Unicode scalar, as a two-stage table.
///
/// A digit is an ASCII character: U+0023 is 0, the backslash is left out. Block numbers have two
/// digits, kinds one. Literals cost nothing to start with: they stay in the program's file.
// swift-format-ignore
enum ScalarTable {{
    static let unicodeVersion = "{VERSION}"

    /// The distinct `ScalarTraits`, the commonest first.
    static let kinds: [UInt16] = [
{chr(10).join(kind_lines)}
    ]

    /// The block number of every {BLOCK} scalars.
    static let blocks: StaticString = {literal(high_low, 91)}

    /// The kinds of the {BLOCK} scalars of each block.
    static let cells: StaticString = {literal(stage2, 91)}
}}
'''
    root = pathlib.Path(__file__).resolve().parent.parent
    (root / "Sources/TextEditing/Unicode/ScalarTable.swift").write_text(text)
    print(f"{len(kinds)} kinds, {len(blocks)} blocks, {len(text)} bytes, Unicode {VERSION}")


main()
