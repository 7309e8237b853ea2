import Foundation
import TestSupport
import Testing

@Suite struct TerminalScreenTests {
    private func screen(_ text: String, size: TerminalSize = TerminalSize(columns: 12, rows: 3))
        -> TerminalScreen
    {
        let terminal = EmulatedTerminal(size: size)
        terminal.write(Array(text.utf8))
        return terminal.screen()
    }

    @Test func keepsARowsTextAndFindsIt() {
        let screen = screen("one\r\n  two two\u{1B}[3;12Hz")
        #expect(screen.rows == ["one", "  two two", "           z"])
        #expect(screen.positions(of: "two").map(\.column) == [2, 6])
        #expect(screen.rows(containing: "two") == [1])
        #expect(!screen.contains("onetwo"))
    }

    @Test(arguments: 1...9) func understandsASequenceCutAnywhere(at cut: Int) {
        let bytes = Array("\u{1B}[?2004h漢\u{1B}[1mé".utf8)
        let terminal = EmulatedTerminal(size: .classic)
        terminal.write(Array(bytes[..<cut]))
        terminal.write(Array(bytes[cut...]))
        #expect(terminal.screen().text(ofRow: 0) == "漢é")
        #expect(terminal.screen()[0, 2].style.attributes == .bold)
        #expect(terminal.modes.bracketsPastes)
    }

    @Test func writesATranscriptWithAMapOfStyles() {
        let screen = screen("a\u{1B}[7mb\u{1B}[0;34mc", size: TerminalSize(columns: 4, rows: 1))
        #expect(
            screen.transcript == """
                4×1, cursor row 0, column 3

                │abc

                styles
                │·ab·

                a: reverse
                b: on: 4

                """)
    }

    @Test func castsDrawARowOnceAndShowItWhenItWasShown() {
        let size = TerminalSize(columns: 6, rows: 2)
        var cast = TerminalCast()
        for (time, text) in [
            (0.0, "same\r\none"), (1, "same\r\none"), (2, "same\r\ntwo"), (3, "same\r\none"),
        ] {
            cast.add(screen("\u{1B}[?25l" + text, size: size), at: time)
        }
        cast.duration += 1
        #expect(cast.frames.map(\.time) == [0, 2, 3])
        let svg = cast.svg()
        for word in ["same", "one", "two"] {
            #expect(svg.components(separatedBy: ">\(word)<").count == 2, "\(word)")
        }
        // 4 s in all: the second row says one until half, two until three quarters.
        #expect(
            svg.contains(
                "{0%{visibility:visible}50.0%{visibility:hidden}75.0%{visibility:visible}}"))
        #expect(
            svg.contains("{0%{visibility:hidden}50.0%{visibility:visible}75.0%{visibility:hidden}}")
        )
        // The last screen is what stands still.
        #expect(svg.contains(".t0{visibility:visible}"))
    }

    @Test func masksWhatChangesFromRunToRun() {
        let screen = screen("at 12:30 ok").masking(/\d+:\d+/)
        #expect(screen.text(ofRow: 0) == "at ▒▒▒▒▒ ok")
    }

    @Test func tellsHowAScreenDiffersFromTheApprovedOne() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let golden = GoldenScreen(named: "small", in: folder)
        #expect(try golden.difference(from: screen("abc"))?.contains("no approved screen") == true)
        try Data(screen("abc").transcript.utf8).write(to: golden.file)
        #expect(try golden.difference(from: screen("abc")) == nil)
        let difference = try #require(try golden.difference(from: screen("abd")))
        #expect(difference.contains("line 3\n  expected │abc\n  got      │abd"))
    }

    @Test func drawsASVGWithEveryCharacterAtItsColumn() {
        let svg = screen("a<漢b \u{1B}[48;2;1;2;3m▀").svg(title: "A & B")
        #expect(svg.contains("<text x=\"0 8.50 17 34\" y=\"13\" fill=\"#d8dee9\">a&lt;漢b</text>"))
        #expect(svg.contains("fill=\"#010203\""))
        #expect(svg.contains("A &amp; B"))
    }

    @Test func readsScripts() throws {
        let script = try TerminalScript("n<F2>a<lt>\n<C-s><Wait:Done?><Idle><Gone:x><S-Tab>")
        #expect(
            script.steps == [
                .press(.character("n")), .press(.function(2)), .press(.character("a")),
                .press(.character("<")), .press(.enter), .press(.control("s")),
                .waitFor("Done?"), .waitUntilIdle, .waitUntilGone("x"), .press(.backTab),
            ])
        #expect(throws: TerminalScriptError.self) { try TerminalScript("<Nothing>") }
    }

    @Test func sendsWhatXtermSends() {
        #expect(TerminalKey.up.bytes() == Array("\u{1B}[A".utf8))
        #expect(TerminalKey.function(2).bytes() == Array("\u{1B}OQ".utf8))
        #expect(TerminalKey.function(12).bytes() == Array("\u{1B}[24~".utf8))
        #expect(TerminalKey.control("s").bytes() == [0x13])
        #expect(TerminalKey.alt("f").bytes() == [0x1B, 0x66])
        #expect(TerminalKey.character("é").bytes() == [0xC3, 0xA9])
    }

    @Test(arguments: [
        ("idle 12 80x24", 12, TerminalSize.classic), ("idle 0 160x50", 0, TerminalSize.wide),
    ])
    func readsIdleLines(line: String, count: Int, size: TerminalSize) {
        let idle = IdleLine(line)
        #expect(idle.readByteCount == count)
        #expect(idle.size == size)
    }

    @Test func acceptsAnIdleLineWithoutNumbers() {
        #expect(IdleLine("idle").readByteCount == nil)
        #expect(IdleLine("").size == nil)
    }
}
