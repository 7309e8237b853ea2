import Testing

@testable import TerminalUI

/// How a sequence is ended in whose middle a picture is cut short.
@Suite struct ControlStringTests {
    private static let kitty = Array(
        "text\u{1B}_Ga=T,m=1;QUJD\u{1B}\\\u{1B}_Gm=0;QUJD\u{1B}\\".utf8)

    @Test(arguments: [
        Array("\u{1B}Pq#0;2;1;1;1~~-\u{1B}\\".utf8), kitty, TmuxPassthrough.wrapped(kitty),
        Array("\u{1B}]1337;File=inline=1:QUJD\u{7}".utf8),
        TmuxPassthrough.wrapped(Array("\u{1B}]1337;File=inline=1:QUJD\u{7}".utf8)),
    ])
    func noStringIsOpenAfterItsEnd(_ bytes: [UInt8]) {
        #expect(ControlString.ending(of: bytes[...]) == [])
        for count in 0...bytes.count {
            let cut = bytes[..<count] + ControlString.ending(of: bytes[..<count])
            #expect(ControlString.ending(of: cut[...]) == [], "after \(count) bytes")
        }
    }

    @Test func endsWithOneTerminatorAndNoMore() {
        #expect(ControlString.ending(of: Array("\u{1B}Pq~~".utf8)[...]) == [0x1B, 0x5C])
        #expect(ControlString.ending(of: Array("\u{1B}Pq~~\u{1B}".utf8)[...]) == [0x5C])
        #expect(ControlString.ending(of: Array("\u{1B}[1mtext".utf8)[...]) == [])
        // The one inside tmux's and its own.
        let inside = TmuxPassthrough.wrapped(Array("\u{1B}Pq".utf8)).dropLast(2)
        #expect(
            ControlString.ending(of: inside) == [0x1B, 0x1B, 0x5C, 0x1B, 0x5C])
    }
}
