import Foundation
import Testing

@testable import CurlNetworking

/// The cases of Autobahn's testsuite (crossbario/autobahn-testsuite) for clients, told again with its numbers:
/// groups 1 to 7, 9 and 10, which are all but those of compression (12 and 13), which is not offered.
///
/// Where Autobahn waits a second to see that nothing comes, the server here waits for what has to come.
@Suite(.serialized, .timeLimit(.minutes(3))) struct AutobahnTests {
    @Test(arguments: AutobahnCase.framing) func framing(one: AutobahnCase) async throws {
        try await one.check()
    }

    @Test(arguments: AutobahnCase.pings)
    func pings(one: AutobahnCase) async throws {
        try await one.check()
    }

    @Test(arguments: AutobahnCase.reservedBits)
    func reservedBits(one: AutobahnCase) async throws {
        try await one.check()
    }

    @Test(arguments: AutobahnCase.opcodes) func opcodes(one: AutobahnCase) async throws {
        try await one.check()
    }

    @Test(arguments: AutobahnCase.fragments)
    func fragmentation(one: AutobahnCase) async throws {
        try await one.check()
    }

    @Test(arguments: AutobahnCase.texts) func utf8(one: AutobahnCase) async throws {
        try await one.check()
    }

    @Test(arguments: AutobahnCase.closing) func closing(one: AutobahnCase) async throws {
        try await one.check()
    }

    /// One after the other: they are about size.
    @Test func limits() async throws {
        for one in AutobahnCase.limits { try await one.check() }
    }

    /// A thousand messages each, one after the other. Autobahn measures their time, too.
    @Test(arguments: AutobahnCase.roundTrips)
    func roundTrips(one: AutobahnCase) async throws {
        try await one.check()
    }

    @Test(arguments: AutobahnCase.automaticFragments)
    func automaticFragments(one: AutobahnCase) async throws {
        try await one.check()
    }

    /// The figures in docs/CurlNetworking.md.
    @Test func noCaseIsMissing() {
        let all =
            AutobahnCase.framing + AutobahnCase.pings + AutobahnCase.reservedBits
            + AutobahnCase.opcodes + AutobahnCase.fragments + AutobahnCase.texts
            + AutobahnCase.closing + AutobahnCase.limits + AutobahnCase.roundTrips
            + AutobahnCase.automaticFragments
        let counts = Dictionary(grouping: all, by: \.group).mapValues(\.count)
        #expect(
            counts == [1: 16, 2: 11, 3: 7, 4: 10, 5: 20, 6: 145, 7: 37, 9: 54, 10: 1])
        #expect(Set(all.map(\.number)).count == 301)
    }
}

extension AutobahnCase {
    // MARK: 1

    static let framing: [AutobahnCase] = [1, 2].flatMap { kind in
        let sizes: [(Int, Pieces)] = [
            (0, .whole), (125, .whole), (126, .whole), (127, .whole), (128, .whole),
            (65535, .whole), (65536, .whole), (65536, .of(997)),
        ]
        return sizes.enumerated().map { index, size in
            let payload = [UInt8](repeating: kind == 1 ? 0x2A : 0xFE, count: size.0)
            return echo(
                "1.\(kind).\(index + 1)", [kind == 1 ? text(payload) : binary(payload)], size.1,
                [kind == 1 ? .text(payload) : .binary(payload)])
        }
    }

    // MARK: 2

    static let pings: [AutobahnCase] = [
        ponged("2.1", []), ponged("2.2", hello),
        ponged("2.3", [0x00, 0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0x00, 0xFF]),
        ponged("2.4", [UInt8](repeating: 0xFE, count: 125)),
        refused("2.5", [ping([UInt8](repeating: 0xFE, count: 126))]),
        ponged("2.6", [UInt8](repeating: 0xFE, count: 125), .of(1)),
        answered("2.7", [pong(), close(1000)], [1000]),
        answered("2.8", [pong("unsolicited pong payload"), close(1000)], [1000]),
        AutobahnCase(
            number: "2.9",
            steps: [.send([pong("unsolicited pong payload"), ping("ping payload")], .whole)],
            events: [.pong(Array("ping payload".utf8))]),
        tenPings("2.10", .perFrame), tenPings("2.11", .of(1)),
    ]

    private static func ponged(
        _ number: String, _ payload: [UInt8], _ pieces: Pieces = .whole
    ) -> AutobahnCase {
        AutobahnCase(
            number: number, steps: [.send([ping(payload)], pieces)], events: [.pong(payload)])
    }

    private static func tenPings(_ number: String, _ pieces: Pieces) -> AutobahnCase {
        let payloads = (0..<10).map { Array("payload-\($0)".utf8) }
        return AutobahnCase(
            number: number, steps: [.send(payloads.map { ping($0) }, pieces)],
            events: payloads.map { .pong($0) })
    }

    // MARK: 3

    static let reservedBits: [AutobahnCase] = [
        refused("3.1", [text(hello, reserved: 1)]),
        refused("3.2", [text(hello), text(hello, reserved: 2), ping()], after: [.text(hello)]),
        refused(
            "3.3", [text(hello), text(hello, reserved: 3), ping()], .perFrame, after: [.text(hello)]
        ),
        refused(
            "3.4", [text(hello), text(hello, reserved: 4), ping()], .of(1), after: [.text(hello)]),
        refused("3.5", [binary([0x00, 0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0x00, 0xFF], reserved: 5)]),
        refused("3.6", [Frame(opcode: 9, payload: hello, reserved: 6)]),
        refused("3.7", [Frame(opcode: 8, reserved: 7)]),
    ]

    // MARK: 4

    static let opcodes: [AutobahnCase] = [1, 2].flatMap { kind in
        let first: UInt8 = kind == 1 ? 3 : 11
        return [
            refused("4.\(kind).1", [Frame(opcode: first)]),
            refused(
                "4.\(kind).2",
                [Frame(opcode: first + 1, payload: Array("reserved opcode payload".utf8))]),
            refused(
                "4.\(kind).3", [text(hello), Frame(opcode: first + 2), ping()],
                after: [.text(hello)]),
            refused(
                "4.\(kind).4", [text(hello), Frame(opcode: first + 3, payload: hello), ping()],
                after: [.text(hello)]),
            refused(
                "4.\(kind).5", [text(hello), Frame(opcode: first + 4, payload: hello), ping()],
                .of(1), after: [.text(hello)]),
        ]
    }

    // MARK: 5

    static let fragments: [AutobahnCase] = {
        let whole = Event.text(Array("fragment1fragment2".utf8))
        let halves = [text("fragment1", isFinal: false), more("fragment2", isFinal: true)]
        let parted = [halves[0], ping("ping payload"), halves[1]]
        let pieces: [Pieces] = [.whole, .perFrame, .of(1)]
        let last = [more("non-continuation payload", isFinal: true), text(hello)]
        let middle = [more("non-continuation payload"), text(hello)]
        var cases = [
            refused(
                "5.1",
                [
                    Frame(opcode: 9, payload: Array("fragment1".utf8), isFinal: false),
                    more("fragment2", isFinal: true),
                ]),
            refused(
                "5.2",
                [
                    Frame(opcode: 10, payload: Array("fragment1".utf8), isFinal: false),
                    more("fragment2", isFinal: true),
                ]),
        ]
        for (index, pieces) in pieces.enumerated() {
            cases.append(echo("5.\(3 + index)", halves, pieces, [whole]))
            cases.append(
                AutobahnCase(
                    number: "5.\(6 + index)", steps: [.send(parted, pieces)],
                    events: [.pong(Array("ping payload".utf8)), whole], messages: [whole]))
            cases.append(refused("5.\(9 + index)", last, pieces))
            cases.append(refused("5.\(12 + index)", middle, pieces))
        }
        let twice = { (isFinal: Bool) in
            let round = [
                more("fragment1", isFinal: isFinal), text("fragment2", isFinal: false),
                more("fragment3", isFinal: true),
            ]
            return round + round
        }
        cases += [
            refused("5.15", halves + [more("fragment3"), text("fragment4")], after: [whole]),
            refused("5.16", twice(false)), refused("5.17", twice(true)),
            refused("5.18", [text("fragment1", isFinal: false), text("fragment2")]),
            pingsBetweenParts("5.19", .whole), pingsBetweenParts("5.20", .perFrame),
        ]
        return cases
    }()

    /// The first ping is answered before the second half is sent.
    private static func pingsBetweenParts(_ number: String, _ pieces: Pieces) -> AutobahnCase {
        let whole = Event.text(Array("fragment1fragment2fragment3fragment4fragment5".utf8))
        return AutobahnCase(
            number: number,
            steps: [
                .send(
                    [text("fragment1", isFinal: false), more("fragment2"), ping("pongme 1!")],
                    pieces), .await(1),
                .send(
                    [
                        more("fragment3"), more("fragment4"), ping("pongme 2!"),
                        more("fragment5", isFinal: true),
                    ], pieces),
            ],
            events: [.pong(Array("pongme 1!".utf8)), .pong(Array("pongme 2!".utf8)), whole],
            messages: [whole])
    }

    // MARK: 7

    static let closing: [AutobahnCase] = {
        let world = Array("Hello World!".utf8)
        let long = Array(
            repeatElement(Array("BAsd7&jh23".utf8), count: (256 << 10) / 10 + 1).joined().prefix(
                256 << 10))
        let broken =
            cosmos + [0xED, 0xA0, 0x80] + Array("edited".utf8)
        var cases = [
            echo("7.1.1", [text(world)], [.text(world)]),
            answered("7.1.2", [close(1000), close(nil)], [1000]),
            answered("7.1.3", [close(1000), ping()], [1000]),
            answered("7.1.4", [close(1000), text(world)], [1000]),
            answered(
                "7.1.5",
                [
                    text("fragment1", isFinal: false), close(1000),
                    more("fragment2", isFinal: true),
                ], [1000]),
            // What comes before the goodbye gets to the user; there may be no time to answer.
            answered(
                "7.1.6", [text(long), text(world), close(1000), ping()], [1000],
                messages: [.text(long), .text(world)]),
            answered("7.3.1", [close(nil)], [nil, 1000]),
            refused("7.3.2", [close(nil, [0x61])]),
            answered("7.3.3", [close(1000)], [1000]),
            answered("7.3.4", [close(1000, world)], [1000]),
            answered("7.3.5", [close(1000, [UInt8](repeating: 0x2A, count: 123))], [1000]),
            refused("7.3.6", [close(1000, [UInt8](repeating: 0x2A, count: 124))]),
            refused("7.5.1", [close(1000, broken)], code: 1007),
        ]
        let good: [UInt16] = [
            1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999,
        ]
        for (index, code) in good.enumerated() {
            cases.append(answered("7.7.\(index + 1)", [close(code)], [Int(code)]))
        }
        for (index, code) in [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999].enumerated() {
            cases.append(refused("7.9.\(index + 1)", [close(UInt16(code))]))
        }
        // RFC 6455 does not say. Autobahn takes anything.
        cases.append(refused("7.13.1", [close(5000)]))
        cases.append(refused("7.13.2", [close(65535)]))
        return cases
    }()

    private static func answered(
        _ number: String, _ frames: [Frame], _ codes: [Int?], messages: [Event] = []
    ) -> AutobahnCase {
        AutobahnCase(
            number: number, steps: [.send(frames, .whole)], events: messages, messages: messages,
            ending: .answered(codes), mayMissEvents: true)
    }

    // MARK: 9 and 10

    static let limits: [AutobahnCase] = [1, 2].flatMap { kind in
        let make = { (count: Int) -> [UInt8] in
            guard kind == 2 else { return [UInt8](repeating: 0x2A, count: count) }
            var row: [UInt8] = [0x00, 0xFE, 0x23, 0xFA, 0xF0]
            while row.count < count { row += row }
            return Array(row.prefix(count))
        }
        let one = { (number: String, payload: [UInt8], partSize: Int, pieces: Pieces) in
            let starts = stride(from: 0, to: payload.count, by: partSize)
            let frames = starts.map { start in
                Frame(
                    opcode: start > 0 ? 0 : kind == 1 ? 1 : 2,
                    payload: Array(payload[start..<min(start + partSize, payload.count)]),
                    isFinal: start + partSize >= payload.count)
            }
            return echo(number, frames, pieces, [kind == 1 ? .text(payload) : .binary(payload)])
        }
        let sizes = [64 << 10, 256 << 10, 1 << 20, 4 << 20, 8 << 20, 16 << 20]
        let long = make(4 << 20)
        let parts = (0..<8).map { 64 << (2 * $0) } + [4 << 20]
        return sizes.enumerated().map { index, size in
            one("9.\(kind).\(index + 1)", make(size), size, .whole)
        }
            + parts.enumerated().map { index, size in
                one("9.\(kind + 2).\(index + 1)", long, size, .whole)
            }
            + (0..<6).map { index in
                one("9.\(kind + 4).\(index + 1)", make(1 << 20), 1 << 20, .of(64 << index))
            }
    }

    static let roundTrips: [AutobahnCase] = [1, 2].flatMap { kind in
        [0, 16, 64, 256, 1024, 4096].enumerated().map { index, count in
            let payload = [UInt8](repeating: kind == 1 ? 0x2A : 0xFE, count: count)
            let event: Event = kind == 1 ? .text(payload) : .binary(payload)
            let messages = [Event](repeating: event, count: 1000)
            return AutobahnCase(
                number: "9.\(kind + 6).\(index + 1)",
                steps: messages.indices.flatMap {
                    [
                        .send([kind == 1 ? text(payload) : binary(payload)], .whole),
                        .await($0 + 1),
                    ] as [Step]
                }, events: messages, messages: messages)
        }
    }

    static let automaticFragments: [AutobahnCase] = {
        let payload = [UInt8](repeating: 0x2A, count: 65536)
        let frames = stride(from: 0, to: payload.count, by: 1300).map { start in
            Frame(
                opcode: start == 0 ? 1 : 0, payload: Array(payload[start...].prefix(1300)),
                isFinal: start + 1300 >= payload.count)
        }
        return [echo("10.1.1", frames, [.text(payload)])]
    }()
}
