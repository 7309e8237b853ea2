import Testing

@testable import TerminalUI

@Suite struct RestoreSequenceTests {
    @Test func switchesEveryModeOffAndShowsTheCursor() {
        let capabilities = [
            "rmkx": "\u{1B}[?1l\u{1B}>", "sgr0": "\u{1B}[m$<2>", "cnorm": "\u{1B}[?25h",
            "rmcup": "\u{1B}[?1049l",
        ]
        let sequence = RestoreSequence { capabilities[$0].map { Array($0.utf8) } }
        let text = String(decoding: sequence.bytes, as: UTF8.self)
        // The rest is read whatever was being written.
        #expect(text.hasPrefix("\u{1B}\\"))
        for mode in [1000, 1002, 1006, 2004] { #expect(text.contains("\u{1B}[?\(mode)l")) }
        #expect(text.hasSuffix("\u{1B}[?1l\u{1B}>\u{1B}[m\u{1B}[?25h\u{1B}[?1049l"))
    }

    @Test func leavesOutDelaysOnly() {
        func bare(_ text: String) -> String {
            String(decoding: RestoreSequence.withoutPadding(Array(text.utf8)), as: UTF8.self)
        }
        #expect(bare("a$<50/>b$<5>") == "ab")
        #expect(bare("$5 <b>") == "$5 <b>")
        #expect(bare("x$<") == "x$<")
    }
}
