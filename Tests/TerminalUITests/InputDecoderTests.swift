import Testing

@testable import TerminalUI

@Suite struct InputDecoderTests {
    private func decode(_ text: String, keys: [[UInt8]: KeyPress] = [:]) -> [InputEvent] {
        var decoder = InputDecoder(keys: keys)
        return decoder.decode(Array(text.utf8)) + decoder.flush()
    }

    private func names(_ text: String) -> [String] {
        decode(text).compactMap { event in
            switch event {
            case .reply: nil
            case .key(let press): press.configurationName
            case .paste(let text): "paste(\(text))"
            case .mouse(let event):
                "\(event.action) \(event.button) \(event.location.x),\(event.location.y)"
            }
        }
    }

    @Test(arguments: [
        ("a", ["a"]), ("G", ["G"]), ("é漢", ["é", "漢"]), (" ", ["Space"]),
        ("\r", ["Enter"]), ("\n", ["Enter"]), ("\t", ["Tab"]), ("\u{7F}", ["Backspace"]),
        ("\u{08}", ["Backspace"]), ("\u{13}", ["^S"]), ("\u{00}", ["C-Space"]),
        ("\u{1F}", ["^_"]), ("\u{1B}", ["Esc"]), ("\u{1B}f", ["M-f"]), ("\u{1B}é", ["M-é"]),
        ("\u{1B}\r", ["M-Enter"]), ("\u{1B}\u{1B}", ["Esc"]),
        ("\u{1B}[", ["M-["]), ("\u{1B}O", ["M-O"]), ("\u{1B}\u{7F}", ["M-Backspace"]),
    ])
    func readsCharactersAndControls(_ bytes: String, _ expected: [String]) {
        #expect(names(bytes) == expected)
    }

    @Test(arguments: [
        ("[A", "Up"), ("OB", "Down"), ("[1;5C", "C-Right"), ("[1;2D", "S-Left"),
        ("[1;3A", "M-Up"), ("[1;6H", "C-S-Home"), ("[H", "Home"), ("OF", "End"),
        ("[1~", "Home"), ("[7~", "Home"), ("[3~", "Del"), ("[3;5~", "C-Del"), ("[5~", "PgUp"),
        ("[6;3~", "M-PgDn"), ("[Z", "S-Tab"), ("OP", "F1"), ("[11~", "F1"), ("[15~", "F5"),
        ("[17~", "F6"), ("[24~", "F12"), ("[[A", "F1"), ("[1;2P", "S-F1"), ("O5A", "C-Up"),
        ("Oa", "C-Up"), ("[a", "S-Up"), ("[3^", "C-Del"), ("[3$", "S-Del"), ("OM", "Enter"),
        ("Oj", "*"), ("[97;5u", "^A"), ("[13;2u", "S-Enter"), ("[27;5;9~", "C-Tab"),
        ("[27;2;65~", "A"), ("[97;2u", "A"), ("[27u", "Esc"), ("[127;3u", "M-Backspace"),
        ("\u{1B}[A", "M-Up"), ("\u{1B}OC", "M-Right"), ("[97;1:1u", "a"),
    ])
    func readsSpecialKeys(_ bytes: String, _ expected: String) {
        #expect(names("\u{1B}" + bytes) == [expected])
    }

    @Test(arguments: [
        "[I", "[O", "[?1;2c", "[24;80R", "[97;1:3u", "]11;rgb:0000/0000/0000\u{07}",
        "]52;c;aGk=\u{1B}\\", "P1$r0m\u{1B}\\", "_Gi=1;OK\u{1B}\\", "[57358u", "[>0;276;0c", "[99~",
    ])
    func dropsReportsAndAnswers(_ bytes: String) {
        #expect(names("\u{1B}" + bytes + "x") == ["x"])
    }

    @Test func prefersTheTerminalsOwnStrings() {
        let keys: [[UInt8]: KeyPress] = [
            Array("\u{1B}[25~".utf8): KeyPress(.function(1), .shift),
            Array("\u{1B}\u{01}k".utf8): KeyPress(.up),
        ]
        #expect(decode("\u{1B}[25~", keys: keys) == [.key(KeyPress(.function(1), .shift))])
        #expect(decode("\u{1B}\u{01}k", keys: keys) == [.key(KeyPress(.up))])
        #expect(decode("\u{1B}[26~", keys: keys) == [.key(KeyPress(.function(14)))])
    }

    @Test func readsTheSameWhereverTheBytesAreCut() {
        let text =
            "a\u{1B}[1;5Cé👍\u{1B}OA\u{1B}[200~one\r\ntwo\u{1B}[201~q\u{1B}[<0;12;5M\u{1B}fz"
        let whole = decode(text)
        let bytes = Array(text.utf8)
        for cut in bytes.indices {
            var decoder = InputDecoder()
            let events = decoder.decode(bytes[..<cut]) + decoder.decode(bytes[cut...])
            #expect(events == whole, "cut at \(cut)")
        }
        var decoder = InputDecoder()
        #expect(bytes.flatMap { decoder.decode([$0]) } == whole)
    }

    @Test func aLoneEscWaitsForWhatMayFollow() {
        var decoder = InputDecoder()
        #expect(decoder.decode([0x1B]).isEmpty)
        #expect(decoder.isPending)
        #expect(decoder.flush() == [.key(KeyPress(.escape))])
        #expect(!decoder.isPending)
        #expect(decoder.decode(Array("[A".utf8)).count == 2)
    }

    @Test func aPasteIsOneEventAndNeverKeys() {
        #expect(
            decode("\u{1B}[200~dd\u{1B}[Aq\u{03}\r\rx\u{1B}[201~j")
                == [.paste("dd\u{1B}[Aq\u{03}\n\nx"), .key(.character("j"))])
    }

    @Test func anUnfinishedPasteStaysPending() {
        var decoder = InputDecoder()
        #expect(decoder.decode(Array("\u{1B}[200~abc\u{1B}[20".utf8)).isEmpty)
        #expect(decoder.isPasting)
        #expect(decoder.flush().isEmpty)
        #expect(decoder.decode(Array("1~".utf8)) == [.paste("abc")])
    }

    /// A slow line may split a character anywhere: its beginning waits, however long.
    @Test func aCharacterThatComesInPiecesIsWhole() {
        for character: Unicode.Scalar in ["é", "漢", "😀"] {
            var decoder = InputDecoder()
            var events: [InputEvent] = []
            for byte in String(character).utf8 {
                events += decoder.decode([byte])
                #expect(!decoder.isEscapePending)
                events += decoder.flush()
            }
            #expect(events == [.key(KeyPress(.character(character)))])
        }
    }

    @Test func theBeginningOfAPasteIsKnown() {
        var decoder = InputDecoder()
        #expect(decoder.decode([0x1B]).isEmpty)
        #expect(decoder.isEscapePending && !decoder.isSequencePending)
        #expect(decoder.decode([UInt8(ascii: "[")]).isEmpty)
        #expect(decoder.isSequencePending)
        let events = decoder.decode(Array("200~d\r\u{1B}[201~".utf8))
        #expect(events == [.paste("d\n")])
    }

    @Test func aPasteOfBrokenUTF8IsRepaired() {
        var decoder = InputDecoder()
        let events = decoder.decode(
            Array("\u{1B}[200~a".utf8) + [0xFF, 0xC3] + Array("b\u{1B}[201~".utf8))
        #expect(events == [.paste("a\u{FFFD}\u{FFFD}b")])
    }

    @Test(arguments: [
        ("[<0;1;1M", "press left 0,0"), ("[<0;10;4m", "release left 9,3"),
        ("[<2;5;5M", "press right 4,4"), ("[<32;6;7M", "drag left 5,6"),
        ("[<64;3;3M", "scrollUp none 2,2"), ("[<65;3;3M", "scrollDown none 2,2"),
        ("[M !!", "press left 0,0"),
    ])
    func readsTheMouse(_ bytes: String, _ expected: String) {
        #expect(names("\u{1B}" + bytes) == [expected])
    }

    @Test func dropsBytesThatAreNoText() {
        var decoder = InputDecoder()
        #expect(decoder.decode([0xFF, 0xC0, 0x80, 0x61]) == [.key(.character("a"))])
        #expect(decoder.decode([0xE2, 0x82, 0x62]) == [.key(.character("b"))])
        #expect(decoder.decode([0xED, 0xA0, 0x80, 0x63]) == [.key(.character("c"))])
        #expect(decoder.decode([0xF5, 0x80, 0x80, 0x80, 0x64]) == [.key(.character("d"))])
    }

    @Test func garbageOfAnyKindEndsAndLeavesTheDecoderUsable() {
        var generator = Xorshift(seed: 7)
        for _ in 0..<400 {
            var decoder = InputDecoder(keys: [[0x1B, 0x5B, 0x41]: KeyPress(.up)])
            for _ in 0..<8 {
                let bytes = (0..<Int(generator.next() % 40)).map { _ -> UInt8 in
                    let byte = UInt8(truncatingIfNeeded: generator.next() >> 8)
                    return byte % 4 == 0 ? 0x1B : byte % 4 == 1 ? 0x30 + byte % 75 : byte
                }
                _ = decoder.decode(bytes)
            }
            if decoder.isPasting { _ = decoder.decode(Array("\u{1B}[201~".utf8)) }
            _ = decoder.decode(Array("\u{07}\u{1B}\\".utf8))
            _ = decoder.flush()
            #expect(decoder.decode([0x6A]) == [.key(.character("j"))])
        }
    }

    @Test func namesAreReadBack() throws {
        for name in [
            "a", "G", "^S", "M-f", "S-Tab", "C-Left", "C-S-Right", "F12", "Space", "Enter", "Esc",
            "PgDn", "M-S-Up", "^", "-", "+", "M--", "C-Space", "M-$", "^_",
        ] {
            let press = try #require(KeyPress(name: name))
            #expect(press.configurationName == name)
        }
        #expect(KeyPress(name: "C-s") == KeyPress(name: "^S"))
        #expect(KeyPress(name: "Nonsense") == nil)
        for (name, same) in [
            ("C-i", "Tab"), ("^M", "Enter"), ("C-j", "Enter"), ("^[", "Esc"), ("C-h", "Backspace"),
            ("S-n", "N"), ("M-S-n", "M-N"), ("C-M-i", "M-Tab"),
        ] {
            #expect(KeyPress(name: name) == KeyPress(name: same), "\(name)")
        }
        for (name, shown) in [
            ("M-Up", "Alt+Up"), ("C-Left", "Ctrl+Left"), ("S-Tab", "Shift+Tab"), ("^S", "^S"),
            ("M-f", "Alt+f"), ("C-S-Right", "Ctrl+Shift+Right"), ("M-+", "Alt++"), ("Up", "↑"),
        ] {
            let press = try #require(KeyPress(name: name))
            #expect(press.displayName == shown)
            #expect(KeyPress(name: shown) == press, "what is shown can be written")
        }
        #expect(KeyPress(name: "ctrl+s") == KeyPress(name: "^S"))
        // What no terminal sends, and what would be written to one by a list of keys.
        for name in [
            "C-1", "C-S-f", "S-1", "\u{1B}", "\n", "\u{202E}", "\u{301}", "\u{A0}", "M-\u{7}",
        ] {
            #expect(KeyPress(name: name) == nil, "\(name.debugDescription)")
        }
        #expect(KeySequence(names: "g g")?.presses.count == 2)
        #expect(KeySequence(names: "") == nil)
    }
}

/// Numbers that look random and are the same each time.
struct Xorshift: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
