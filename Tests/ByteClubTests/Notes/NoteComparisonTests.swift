import Foundation
import TextEditing
import Testing

@testable import ByteClub
@testable import ClubAccess

/// How two versions of a note are shown beside one another.
@Suite struct NoteComparisonTests {
    private func compare(_ mine: String, _ theirs: String) -> String {
        NoteComparison(mine: mine, theirs: theirs).text
    }

    @Test func eachSidesLinesAreMarked() {
        #expect(compare("a\nb\nc", "a\nx\nc") == "  a\n- b\n+ x\n  c")
        #expect(compare("a\nb", "b\nc") == "- a\n  b\n+ c")
        #expect(compare("", "a") == "- \n+ a")
        #expect(compare("a\n", "a") == "  a\n- ")
        #expect(compare("same", "same") == "  same")
    }

    @Test func bothStandInOneTextWithMarks() {
        func both(_ mine: String, _ theirs: String) -> String {
            NoteComparison(mine: mine, theirs: theirs).both
        }
        #expect(
            both("a\nb\nc\n", "a\nx\ny\nc\n")
                == "a\n<<<<<<< mine\nb\n=======\nx\ny\n>>>>>>> the club's\nc\n")
        #expect(both("a\nb", "b") == "<<<<<<< mine\na\n=======\n>>>>>>> the club's\nb")
        #expect(both("same\r\n", "same\r\n") == "same\r\n")
    }

    @Test func lineEndsOfWindowsAreADifference() {
        #expect(NoteComparison(mine: "a\r\nb", theirs: "a\nb").lines.first == .mine("a\r"))
    }

    @Test func longStretchesThatAreAlikeAreLeftOut() {
        let alike = (1...20).map(String.init)
        let mine = (alike + ["m"] + alike).joined(separator: "\n")
        let theirs = (alike + ["t"] + alike).joined(separator: "\n")
        #expect(
            compare(mine, theirs)
                == "  … 17 lines alike\n  18\n  19\n  20\n- m\n+ t\n  1\n  2\n  3\n  … 17 lines alike"
        )
    }

    /// Whatever the two are, each can be had back from it.
    @Test func nothingIsLostOfEither() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let (mine, theirs) = (Self.text(&generator), Self.text(&generator))
            // Of these, all would be left out.
            if mine == theirs { continue }
            let lines = NoteComparison(mine: mine, theirs: theirs).lines
            #expect(
                lines.compactMap { Self.line($0, isMine: true) }.joined(separator: "\n") == mine)
            #expect(
                lines.compactMap { Self.line($0, isMine: false) }.joined(separator: "\n") == theirs)
        }
    }

    /// So few lines that none are left out.
    private static func text(_ generator: inout SystemRandomNumberGenerator) -> String {
        (0..<Int.random(in: 1...5, using: &generator))
            .map { _ in ["a", "b", "", "c\r"].randomElement(using: &generator) ?? "" }
            .joined(separator: "\n")
    }

    private static func line(_ line: NoteComparison.Line, isMine: Bool) -> Substring? {
        switch line {
        case .same(let text): text
        case .mine(let text): isMine ? text : nil
        case .theirs(let text): isMine ? nil : text
        case .gap: nil
        }
    }

    /// Two long texts with nothing in common must not take for ever.
    @Test func longTextsAreComparedInTime() {
        let mine = (0..<50_000).map { "m\($0)" }.joined(separator: "\n")
        let theirs = (0..<50_000).map { "t\($0)" }.joined(separator: "\n")
        #expect(NoteComparison(mine: mine, theirs: theirs).lines.count == 100_000)
    }

    @Test(arguments: ["\n", "\r\n"]) func marksThatWereLeftAreFound(lineEnd: String) {
        let both = NoteComparison(mine: "a", theirs: "b").both
        let text = both.replacingOccurrences(of: "\n", with: lineEnd)
        #expect(NoteComparison.hasMarks(TextBuffer(text)))
        #expect(!NoteComparison.hasMarks(TextBuffer("a <<<<<<< mine" + lineEnd.dropLast())))
    }
}
