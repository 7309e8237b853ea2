import CurlNetworking
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct AsyncBytesTextTests {
    @Test(
        arguments: [
            ("a\nbc\r\nd\re\u{2028}f\u{85}g", ["a", "bc", "d", "e", "f", "g"]),
            ("\n\n\n", []), ("", []), ("end\n", ["end"]), ("naïve 👩🏽‍🚀", ["naïve 👩🏽‍🚀"]),
        ])
    func aBodyIsReadLineByLineWithoutEmptyLines(
        body: String, expected: [String]
    ) async throws {
        let server = try LoopbackServer { _ in [.answer(body: body)] }
        let (bytes, _) = try await makeSession().bytes(from: server.url())
        var lines: [String] = []
        for try await line in bytes.lines { lines.append(line) }
        #expect(lines == expected)
    }

    @Test func aBodyIsReadByCharactersAndByScalars() async throws {
        let body = "e\u{301}👩🏽‍🚀\r\nx"
        let server = try LoopbackServer { _ in [.answer(body: body)] }
        let session = makeSession()
        var characters: [Character] = []
        for try await character in try await session.bytes(from: server.url()).0.characters {
            characters.append(character)
        }
        #expect(characters == Array(body))
        var scalars: [Unicode.Scalar] = []
        for try await scalar in try await session.bytes(from: server.url()).0.unicodeScalars {
            scalars.append(scalar)
        }
        #expect(scalars == Array(body.unicodeScalars))
    }

    @Test func whatIsNotUTF8IsReplacedAndNothingBehindItIsLost() async throws {
        let body: [UInt8] = [0xE2, 0x82, 0x41, 0xFF, 0x42, 0xF0, 0x9F]
        let server = try LoopbackServer { _ in [.answer(body: body)] }
        var scalars = ""
        for try await scalar in try await makeSession().bytes(from: server.url()).0.unicodeScalars {
            scalars.unicodeScalars.append(scalar)
        }
        #expect(scalars == "\u{FFFD}A\u{FFFD}B\u{FFFD}")
    }
}
