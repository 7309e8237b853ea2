import Foundation
import TestSupport
import Testing

@testable import ClubLibrary

@Suite struct LineMergeTests {
    private func merge(_ base: String, _ own: String, _ other: String) -> String? {
        LineMerge(base: Data(base.utf8), own: Data(own.utf8), other: Data(other.utf8))
            .map { String(decoding: $0.text, as: UTF8.self) }
    }

    @Test(arguments: [
        ("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"),
        ("a\nb\nc\n", "a\nb\nc\n", "x\na\nb\nc\ny\n", "x\na\nb\nc\ny\n"),
        ("a\nb\nc\n", "a\nc\n", "a\nb\nc\nd\n", "a\nc\nd\n"),
        ("a\nb\nc\nd\n", "d\n", "a\nb\nc\nd\ne\n", "d\ne\n"),
        ("a\n", "b\n", "b\n", "b\n"),
        ("", "", "new\n", "new\n"),
        ("a\r\nb\r\nc", "a\r\nb\r\nC", "A\r\nb\r\nc", "A\r\nb\r\nC"),
        ("x\nx\nx\ny\n", "x\nx\ny\n", "x\nx\nx\ny\nz\n", "x\nx\ny\nz\n"),
    ])
    func bothChangesAreThere(base: String, own: String, other: String, merged: String) {
        #expect(merge(base, own, other) == merged)
        #expect(merge(base, other, own) == merged)
    }

    @Test(arguments: [
        ("a\n", "b\n", "c\n"), ("", "b\n", "c\n"), ("a\nb\n", "a\n", "a\nB\n"),
        ("a", "a\nb", "a\nc"),
    ])
    func whatContradictsItselfIsNotMerged(base: String, own: String, other: String) {
        #expect(merge(base, own, other) == nil)
    }

    @Test func saysWhichLinesCameIn() throws {
        let result = try #require(
            LineMerge(
                base: Data("a\nb\nc\nd\n".utf8), own: Data("own\na\nb\nc\nd\n".utf8),
                other: Data("a\nb\nx\ny\nd\nz\n".utf8)))
        #expect(String(decoding: result.text, as: UTF8.self) == "own\na\nb\nx\ny\nd\nz\n")
        #expect(result.incoming == [3..<5, 6..<7])
        #expect(result.removedLineCount == 1)
    }

    /// Whatever the edits: a merge that comes about has every line that either has added, and no line that
    /// either has taken away.
    @Test func randomEditsLoseNoLine() {
        var random = SeededGenerator(seed: 7)
        var merges = 0
        for round in 0..<2000 {
            let base = (0..<Int.random(in: 0...12, using: &random)).map { "line \($0)" }
            func edited(_ name: String) -> (lines: [String], added: [String], removed: [String]) {
                var (lines, added, removed): ([String], [String], [String]) = (base, [], [])
                for number in 0..<Int.random(in: 0...2, using: &random) {
                    if Bool.random(using: &random) || lines.isEmpty {
                        let line = "\(name) \(round) \(number)"
                        added.append(line)
                        lines.insert(
                            line, at: Int.random(in: 0...lines.count, using: &random))
                    } else {
                        let line = lines.remove(
                            at: Int.random(in: 0..<lines.count, using: &random))
                        if added.contains(line) {
                            added.removeAll { $0 == line }
                        } else {
                            removed.append(line)
                        }
                    }
                }
                return (lines, added, removed)
            }
            let (own, other) = (edited("own"), edited("other"))
            func text(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }
            guard let merged = merge(text(base), text(own.lines), text(other.lines)) else {
                continue
            }
            merges += 1
            let lines = merged.split(separator: "\n").map(String.init)
            let expected = Set(base + own.added + other.added)
                .subtracting(own.removed + other.removed)
            #expect(Set(lines) == expected)
            #expect(lines.count == expected.count)
        }
        #expect(merges > 500)
    }
}
