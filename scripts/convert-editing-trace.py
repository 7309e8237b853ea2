#!/usr/bin/env python3
"""Turns a recorded editing session (github.com/josephg/editing-traces, gzip JSON) into the compact
text format of Tests/TextEditingTests/Fixtures/*.trace:

    scripts/convert-editing-trace.py seph-blog1.json.gz > seph-blog1.trace

The first line holds the patch count, the byte count and the FNV-1a hash of the text in the end.
Then one run of edits a line, positions in Unicode scalars, texts as JSON strings:

    t POSITION TEXT       typed: one insertion a scalar, each after the one before
    b POSITION COUNT      backspaces: COUNT deletions of one scalar, the first at POSITION, each before
    r POSITION COUNT TEXT COUNT scalars replaced by TEXT at once
"""

import gzip
import json
import sys


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def main():
    trace = json.load(gzip.open(sys.argv[1]))
    assert trace["startContent"] == ""
    patches = [patch for transaction in trace["txns"] for patch in transaction["patches"]]
    end = trace["endContent"].encode()
    print(len(patches), len(end), f"{fnv(end):016x}")
    runs = []
    for position, deleted, inserted in patches:
        last = runs[-1] if runs else None
        if deleted == 0 and len(inserted) == 1:
            if last and last[0] == "t" and last[1] + len(last[2]) == position:
                last[2] += inserted
            else:
                runs.append(["t", position, inserted])
        elif deleted == 1 and inserted == "":
            if last and last[0] == "b" and last[1] - last[2] == position:
                last[2] += 1
            else:
                runs.append(["b", position, 1])
        else:
            runs.append(["r", position, deleted, inserted])
    for run in runs:
        print(*(json.dumps(p, ensure_ascii=False) if isinstance(p, str) and i else p
                for i, p in enumerate(run)))


main()
