extension AutobahnCase {
    // Group 6. Most of it is Markus Kuhn's UTF-8 decoder capability and stress test.

    private static let greeting = "Hello-µ@ßöäüàá-UTF-8!!"
    /// As in the test it is from, with an accent of its own that takes three bytes.
    static let cosmos = Array("κ\u{1F79}σμε".utf8)

    static let texts: [AutobahnCase] = {
        let edited = Array("edited".utf8)
        let surrogate: [UInt8] = cosmos + [0xED, 0xA0, 0x80] + edited
        let tooHigh: [UInt8] = [0xF4, 0x90, 0x80, 0x80]
        let outside = cosmos + tooHigh + edited
        let middle = Array("middle frame payload".utf8)
        var cases = [
            echo("6.1.1", [text("")], [.text([])]),
            echo(
                "6.1.2", [text("", isFinal: false), more(""), more("", isFinal: true)],
                [.text([])]),
            echo(
                "6.1.3", [text("", isFinal: false), more(middle), more("", isFinal: true)],
                [.text(middle)]),
            echo("6.2.1", [text(greeting)], [.text(Array(greeting.utf8))]),
            echo(
                "6.2.2",
                [text("Hello-µ@ßöä", isFinal: false), more("üàá-UTF-8!!", isFinal: true)],
                [.text(Array(greeting.utf8))]),
            echo("6.2.3", byteByByte(Array(greeting.utf8)), [.text(Array(greeting.utf8))]),
            echo("6.2.4", byteByByte(cosmos), [.text(cosmos)]),
            refused("6.3.1", [text(surrogate)], code: 1007),
            refused("6.3.2", byteByByte(surrogate), code: 1007),
            // What follows the byte that is wrong is not waited for, and never sent.
            AutobahnCase(
                number: "6.4.1",
                steps: [
                    .send([text(cosmos, isFinal: false)], .whole), .send([more(tooHigh)], .whole),
                ], ending: .refused(1007)),
            AutobahnCase(
                number: "6.4.2",
                steps: [
                    .send([text(Array(outside.prefix(12)), isFinal: false)], .whole),
                    .send([more([outside[12]])], .whole),
                ], ending: .refused(1007)),
            AutobahnCase(
                number: "6.4.3",
                steps: [
                    .sendBytes([0x81, UInt8(outside.count)] + cosmos), .sendBytes(tooHigh),
                ], ending: .refused(1007)),
            AutobahnCase(
                number: "6.4.4",
                steps: [
                    .sendBytes([0x81, UInt8(outside.count)] + outside.prefix(12)),
                    .sendBytes([outside[12]]),
                ], ending: .refused(1007)),
        ]
        for (group, sequences) in sequences.enumerated() {
            for (index, one) in sequences.enumerated() {
                let number = "6.\(group + 5).\(index + 1)"
                cases.append(
                    one.isValid
                        ? echo(number, [text(one.bytes)], [.text(one.bytes)])
                        : refused(number, [text(one.bytes)], code: 1007))
            }
        }
        return cases
    }()

    private static func byteByByte(_ bytes: [UInt8]) -> [Frame] {
        bytes.enumerated().map { index, byte in
            Frame(opcode: index == 0 ? 1 : 0, payload: [byte], isFinal: index == bytes.count - 1)
        }
    }

    private typealias Sequence = (isValid: Bool, bytes: [UInt8])

    /// 6.5 to 6.23.
    private static let sequences: [[Sequence]] = [
        // 6.5: valid
        good(["hello$world", "hello¢world", "hello€world", "hello𤭢world", "κ\u{1F79}σμε"]),
        // 6.6: all beginnings of a valid text
        (1...11).map { ([2, 5, 7, 9, 11].contains($0), Array(cosmos.prefix($0))) },
        // 6.7: the first of each length
        good(["\u{0}", "\u{80}", "\u{800}", "\u{10000}"]),
        // 6.8: the first of five and six bytes
        bad([[0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80]]),
        // 6.9: the last of each length
        good(["\u{7F}", "\u{7FF}", "\u{FFFF}", "\u{10FFFF}"]),
        // 6.10: the last of four to six bytes
        bad([
            [0xF7, 0xBF, 0xBF, 0xBF], [0xFB, 0xBF, 0xBF, 0xBF, 0xBF],
            [0xFD, 0xBF, 0xBF, 0xBF, 0xBF, 0xBF],
        ]),
        // 6.11: other borders
        good(["\u{D7FF}", "\u{E000}", "\u{FFFD}", "\u{10FFFF}"]) + bad([[0xF4, 0x90, 0x80, 0x80]]),
        // 6.12: continuations of nothing
        bad([
            [0x80], [0xBF], [0x80, 0xBF], [0x80, 0xBF, 0x80], [0x80, 0xBF, 0x80, 0xBF],
            [0x80, 0xBF, 0x80, 0xBF, 0x80], [0x80, 0xBF, 0x80, 0xBF, 0x80, 0xBF],
            Array(0x80..<0xBF),
        ]),
        // 6.13: beginnings of nothing
        bad(
            [0xC0..<0xDF, 0xE0..<0xEF, 0xF0..<0xF7, 0xF8..<0xFB, 0xFC..<0xFD].map {
                $0.flatMap { [$0, 0x20] }
            }),
        // 6.14: the last byte is missing
        bad(cut),
        // 6.15: all of these in a row
        bad([cut.flatMap(\.self)]),
        // 6.16: bytes that never occur
        bad([[0xFE], [0xFF], [0xFE, 0xFE, 0xFF, 0xFF]]),
        // 6.17: a slash in more bytes than it needs
        bad([
            [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF],
            [0xF8, 0x80, 0x80, 0x80, 0xAF], [0xFC, 0x80, 0x80, 0x80, 0x80, 0xAF],
        ]),
        // 6.18: the last that need fewer bytes
        bad([
            [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF8, 0x87, 0xBF, 0xBF, 0xBF], [0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF],
        ]),
        // 6.19: zero in more bytes than it needs
        bad([
            [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF8, 0x80, 0x80, 0x80, 0x80], [0xFC, 0x80, 0x80, 0x80, 0x80, 0x80],
        ]),
        // 6.20: surrogates
        bad([
            [0xED, 0xA0, 0x80], [0xED, 0xAD, 0xBF], [0xED, 0xAE, 0x80], [0xED, 0xAF, 0xBF],
            [0xED, 0xB0, 0x80], [0xED, 0xBE, 0x80], [0xED, 0xBF, 0xBF],
        ]),
        // 6.21: pairs of surrogates
        bad(
            [[0xA0, 0x80], [0xAD, 0xBF], [0xAE, 0x80], [0xAF, 0xBF]].flatMap { high in
                [[0xB0, 0x80], [0xBF, 0xBF]].map { low in [0xED] + high + [0xED] + low }
            }),
        // 6.22: noncharacters are valid
        good(["\u{FFFE}", "\u{FFFF}"])
            + good(
                (1...16).flatMap { plane in
                    [0xFFFE, 0xFFFF].compactMap { Unicode.Scalar(plane << 16 | $0) }.map {
                        String($0)
                    }
                }),
        // 6.23: specials
        good((0xFFF9...0xFFFF).compactMap { Unicode.Scalar($0) }.map { String($0) }),
    ]

    private static let cut: [[UInt8]] = [
        [0xC0], [0xE0, 0x80], [0xF0, 0x80, 0x80], [0xF8, 0x80, 0x80, 0x80],
        [0xFC, 0x80, 0x80, 0x80, 0x80], [0xDF], [0xEF, 0xBF], [0xF7, 0xBF, 0xBF],
        [0xFB, 0xBF, 0xBF, 0xBF], [0xFD, 0xBF, 0xBF, 0xBF, 0xBF],
    ]

    private static func good(_ texts: [String]) -> [Sequence] {
        texts.map { (true, Array($0.utf8)) }
    }

    private static func bad(_ texts: [[UInt8]]) -> [Sequence] { texts.map { (false, $0) } }
}
