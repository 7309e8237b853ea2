import Testing

@testable import TerminalUI

/// What a terminal says among the keys.
@Suite struct TerminalReplyTests {
    private static let answers: [(String, TerminalReply)] = [
        ("\u{1B}[?62;4;22c", .attributes([62, 4, 22])),
        ("\u{1B}P>|kitty(0.32.2)\u{1B}\\", .version("kitty(0.32.2)")),
        ("\u{1B}_Gi=31;OK\u{1B}\\", .graphics(id: 31, isOK: true)),
        ("\u{1B}_Gi=31;ENOTSUPPORTED:no\u{1B}\\", .graphics(id: 31, isOK: false)),
        ("\u{1B}P1+r524742=38;5463\u{1B}\\", .capabilities(["RGB", "Tc"])),
        ("\u{1B}P1$r48:2:1:2:3m\u{1B}\\", .style([48, 2, 1, 2, 3])),
        ("\u{1B}[4;900;1600t", .windowPixels(width: 1600, height: 900)),
        (
            "\u{1B}]11;rgb:0000/0000/0000\u{07}",
            .operatingSystem(code: 11, text: "rgb:0000/0000/0000")
        ),
    ]

    private func events(_ pieces: [some Collection<UInt8>], flushing: Bool) -> [InputEvent] {
        var decoder = InputDecoder()
        return pieces.flatMap { piece in
            decoder.decode(piece) + (flushing ? decoder.flush() : [])
        }
    }

    @Test(arguments: answers) func isReadWhole(text: String, reply: TerminalReply) {
        #expect(
            events([Array("j\(text)k".utf8)], flushing: false) == [
                .key(.character("j")), .reply(reply), .key(.character("k")),
            ])
    }

    @Test(arguments: answers) func isReadWhereverItIsCut(text: String, reply: TerminalReply) {
        let bytes = Array(text.utf8)
        for cut in bytes.indices {
            #expect(
                events([bytes[..<cut], bytes[cut...]], flushing: false) == [.reply(reply)],
                "cut at \(cut)")
        }
        #expect(events(bytes.map { [$0] }, flushing: false) == [.reply(reply)])
    }

    /// The rest comes so late that the beginning was given up.
    @Test(arguments: answers) func isNeverKeysHoweverSlowItComes(
        text: String, reply: TerminalReply
    ) {
        let bytes = Array(text.utf8)
        // An Esc alone, or with one character, is what a person may press.
        for cut in 3..<bytes.count {
            for other in cut..<bytes.count {
                let pieces = [bytes[..<cut], bytes[cut..<other], bytes[other...]]
                #expect(events(pieces, flushing: true) == [], "cut at \(cut) and \(other)")
            }
        }
        var decoder = InputDecoder()
        _ = decoder.decode(bytes.prefix(4)) + decoder.flush()
        #expect(decoder.decode(bytes.dropFirst(4) + Array("j".utf8)) == [.key(.character("j"))])
    }

    @Test(arguments: [
        "\u{1B}[6;0;0t", "\u{1B}[6;99999;8t", "\u{1B}[6;-1;8t", "\u{1B}_Gi=;OK\u{1B}\\",
        "\u{1B}_Gi=99999999999999999999;OK\u{1B}\\", "\u{1B}P1+r5\u{1B}\\", "\u{1B}P1+rzz\u{1B}\\",
        "\u{1B}]x;y\u{07}", "\u{1B}]11\u{07}", "\u{1B}P>|evil\u{9B}\u{07}", "\u{1B}P\u{1B}\\",
        "\u{1B}_\u{07}", "\u{1B}[;;;;;;;;;;;;;;t", "\u{1B}P1$rm\u{1B}\\",
    ])
    func nonsenseIsNeitherAKeyNorHarm(text: String) {
        let events = events([Array("\(text)j".utf8)], flushing: false)
        let keys = events.filter { if case .key = $0 { true } else { false } }
        #expect(keys == [.key(.character("j"))])
    }

    @Test func aNameWithoutEndIsCut() {
        let long = String(repeating: "x", count: 5000)
        #expect(
            events([Array("\u{1B}P>|\(long)\u{1B}\\".utf8)], flushing: false)
                == [.reply(.version(String(long.prefix(64))))])
    }
}
