import CurlNetworking
import Foundation
import Testing

/// The lengths of web-platform-tests, `fetch/content-length`, told again.
///
/// Each answer has a body of 42 bytes. Where WPT has a length that is not a number ignored (`42s`, `-1`,
/// `0x20`), so that the body goes on to the end of the connection, ours refuses it: a proxy on the way may have
/// read a number there.
@Suite(.timeLimit(.minutes(1))) struct WPTLengthTests {
    static let cases: [(fields: [String], byteCount: Int?)] = [
        (["42"], 42), (["42,42"], 42), (["42", "42"], 42), (["42", "42,42"], 42), (["30"], 30),
        (["30,30"], 30), (["30", "30"], 30), (["30", "30,30"], 30), (["42,30"], nil),
        (["30,42"], nil), (["42", "30"], nil), (["30", "42"], nil), (["30,"], nil),
        ([",30"], nil), (["30", "\t"], nil), (["", "30"], nil), (["aaaah", "nah"], nil),
        (["aaaah, nah"], nil), (["aaaah", "aaaah"], nil), (["aaaah, aaaah"], nil),
        (["aaaah"], nil), (["42s"], nil), (["30s"], nil), (["-1"], nil), (["0x20"], nil),
        // The same number, however it is written: WPT compares the text and refuses these two.
        (["030"], 30), (["030", "30"], 30), (["030, 30"], 30),
    ]

    @Test(arguments: cases.indices) func aLengthOrNone(index: Int) async throws {
        let (fields, byteCount) = Self.cases[index]
        let lines = fields.map { "Content-Length: \($0)\r\n" }.joined()
        let text = "HTTP/1.1 200 OK\r\n\(lines)\r\n" + String(repeating: "x", count: 42)
        try await WireCase(
            lines, text,
            byteCount.map { .taken(body: String(repeating: "x", count: $0)) } ?? .refused
        ).check()
    }
}
