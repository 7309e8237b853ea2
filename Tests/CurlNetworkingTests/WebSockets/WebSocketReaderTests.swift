import Foundation
import Testing

@testable import CurlNetworking

/// Frames as values, without a socket.
@Suite struct WebSocketReaderTests {
    @Test(arguments: [0, 1, 125, 126, 127, 65535, 65536, 200_000])
    func aFrameOfAnyLengthIsReadAsItWasWritten(count: Int) throws {
        let payload = makeBytes(count)
        var reader = WebSocketReader(largestMessage: 1 << 20)
        let frame = Data(serverFrame(0x82, payload))
        #expect(reader.append(frame).arrivals == [.binary(payload)])
    }

    @Test func bytesMayBeCutAnywhere() {
        var reader = WebSocketReader(largestMessage: 1 << 20)
        let bytes =
            serverFrame(0x01, Data("he".utf8)) + serverFrame(0x89, Data("p".utf8))
            + serverFrame(0x80, Data("llo".utf8)) + serverFrame(0x8A, Data())
            + serverFrame(0x88, Data([0x03, 0xE8]) + Data("bye".utf8))
        let arrivals = bytes.flatMap { reader.append(Data([$0])).arrivals }
        #expect(
            arrivals == [
                .ping(Data("p".utf8)), .text("hello"), .pong(Data()),
                .close(code: 1000, reason: Data("bye".utf8)),
            ])
    }

    @Test(
        arguments: [
            ([0xC2, 0x00], 1002),  // a reserved bit
            ([0x83, 0x00], 1002),  // no such opcode
            ([0x82, 0x80, 1, 2, 3, 4], 1002),  // masked
            ([0x09, 0x00], 1002),  // a ping in parts
            ([0x89, 0x7E, 0x00, 0x80], 1002),  // a long ping
            ([0x80, 0x00], 1002),  // goes on with nothing
            ([0x01, 0x00, 0x81, 0x00], 1002),  // a message inside another
            ([0x88, 0x01, 0x03], 1002),  // half a code
            ([0x88, 0x02, 0x03, 0xED], 1002),  // 1005 is not for the wire
            ([0x88, 0x03, 0x03, 0xE8, 0xFF], 1007),
            ([0x81, 0x01, 0xFF], 1007),
            ([0x82, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], 1009),
            ([0x82, 0x7E, 0x04, 0x01], 1009),
            (
                [0x02, 0x7E, 0x02, 0x00] + [UInt8](repeating: 0, count: 512)
                    + [0x80, 0x7E, 0x02, 0x01], 1009
            ),
        ] as [([UInt8], UInt16)])
    func whatBreaksTheProtocolIsRefusedAndNothingIsTakenAfterIt(
        bytes: [UInt8], code: UInt16
    ) {
        var reader = WebSocketReader(largestMessage: 1024)
        #expect(reader.append(Data(bytes)).refusal?.rawValue == code)
        #expect(reader.append(Data(serverFrame(0x82, Data([1])))).arrivals == [])
    }

    @Test func thousandsOfFramesMayComeInOnePiece() {
        var reader = WebSocketReader(largestMessage: 100)
        let piece = Data((0..<20_000).flatMap { _ in serverFrame(0x82, Data([7])) })
        #expect(reader.append(piece.dropLast()).arrivals.count == 19_999)
        #expect(reader.append(piece.suffix(1)).arrivals == [.binary(Data([7]))])
    }

    /// Once 4 MiB in pieces of 16 bytes were copied from the start with each of them: half a terabyte.
    @Test func aLongMessageMayComeInSmallPieces() {
        var reader = WebSocketReader(largestMessage: 4 << 20)
        let payload = makeBytes(4 << 20)
        let frame = Data(serverFrame(0x82, payload))
        var arrivals: [WebSocketReader.Arrival] = []
        for start in stride(from: 0, to: frame.count, by: 16) {
            arrivals += reader.append(frame[start..<min(start + 16, frame.count)]).arrivals
        }
        #expect(arrivals == [.binary(payload)])
    }

    @Test func textIsRefusedAtTheFirstByteThatCannotBeRight() {
        var reader = WebSocketReader(largestMessage: 1024)
        // 100 bytes are announced: a character in two pieces, and one that ends too early.
        #expect(reader.append(Data([0x81, 100, 0x61, 0xE2, 0x82])).refusal == nil)
        #expect(reader.append(Data([0xAC, 0xE2])).refusal == nil)
        #expect(reader.append(Data([0x61])).refusal == .invalidText)
        #expect(reader.append(Data([0x61])).refusal == nil)
    }

    @Test func nothingIsTakenAfterAClose() {
        var reader = WebSocketReader(largestMessage: 1024)
        let bytes = [0x88, 0x00, 0x88, 0x00] + serverFrame(0x89, Data("late".utf8))
        #expect(reader.append(Data(bytes)).arrivals == [.close(code: nil, reason: Data())])
        #expect(reader.append(Data([0xFF, 0xFF])).refusal == nil)
    }

    /// All there can be in two bytes, with what makes longer characters whole, in one piece and byte by byte.
    @Test func whatTextIsRightIsDecidedAsByTheStandardLibrary() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                for rest in [[], [0x80], [0xBF, 0x80]] as [[UInt8]] {
                    let bytes = [first, second] + rest
                    let isText = String(validating: bytes, as: UTF8.self) != nil
                    var (whole, parts) = (UTF8Validator(), UTF8Validator())
                    whole.append(Data(bytes))
                    for byte in bytes { parts.append(Data([byte])) }
                    guard whole.isComplete == isText, parts.isComplete == isText else {
                        Issue.record("\(bytes)")
                        return
                    }
                }
            }
        }
    }

    @Test func aClientsFrameIsMasked() {
        let frame = WebSocketFrame(opcode: .text, payload: Data("Hello".utf8))
        // The example of RFC 6455 §5.7.
        #expect(
            Array(frame.encoded(mask: [0x37, 0xFA, 0x21, 0x3D]))
                == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
    }

    @Test func aCloseCodeIsItsNumberWithANameOrWithout() {
        typealias Code = URLSessionWebSocketTask.CloseCode
        #expect(Code(rawValue: 1000) == .normalClosure)
        #expect(Code(rawValue: 4000) == .other(4000))
        #expect(Code.other(1000) == .normalClosure)
        #expect(Set([Code.other(1000), .normalClosure]).count == 1)
        #expect(Code(rawValue: -1) == nil)
        #expect(Code(rawValue: 65_536) == nil)
        for number in 0...5000 { #expect(Code(rawValue: number)?.rawValue == number) }
        let sent = [0, 999, 1000, 1004, 1005, 1006, 1014, 1015, 2999, 3000, 4999, 5000]
            .compactMap(Code.init(rawValue:)).map(\.wireValue)
        #expect(sent == [0, 0, 1000, 0, 0, 0, 1014, 0, 0, 3000, 4999, 0])
    }

    @Test func aServerProvesThatItKnowsTheKey() {
        // The example of RFC 6455 §1.3.
        #expect(
            WebSocketHandshake.answer(to: "dGhlIHNhbXBsZSBub25jZQ==")
                == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }
}

/// A frame as a server sends it.
func serverFrame(_ head: UInt8, _ payload: Data) -> [UInt8] {
    switch payload.count {
    case ..<126: [head, UInt8(payload.count)] + payload
    case ..<65536: [head, 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
    default:
        [head, 127] + withUnsafeBytes(of: UInt64(payload.count).bigEndian, Array.init) + payload
    }
}
