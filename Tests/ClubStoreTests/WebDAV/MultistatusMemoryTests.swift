import Foundation
import TestSupport
import Testing

@testable import ClubStore

/// A hundred megabytes of multistatus, each kind in a process of its own, so that its memory can be
/// measured.
///
/// That process is this program again, with one test. Swift Testing's own exit tests wait for any child
/// process, and would hang beside tests that start others.
@Suite struct MultistatusMemoryTests {
    @Test(arguments: [
        "aLongTextThatConcernsNobody", "elementsThatConcernNobody", "commentsAndBlanks",
    ]) func isNotHeld(_ kind: String) async throws {
        var environment = ProcessInfo.processInfo.environment
        environment[ownProgramSign] = "1"
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let output = try await Command(
            program,
            [
                "--testing-library", "swift-testing", "--filter",
                "MultistatusInAProgramOfItsOwn/\(kind)",
            ],
            environment: environment, directory: "/"
        ).run()
        #expect(output.status == 0, "\(output.text)\(output.errorText)")
        #expect((output.text + output.errorText).contains("1 test"))
    }
}

private let ownProgramSign = "BYTECLUB_TEST_MULTISTATUS"
private let isOwnProgram = ProcessInfo.processInfo.environment[ownProgramSign] != nil

@Suite(.enabled(if: isOwnProgram)) struct MultistatusInAProgramOfItsOwn {
    @Test func aLongTextThatConcernsNobody() throws {
        try Feeder.expectLittleMemory(
            begin: "<D:note>", piece: String(repeating: "x", count: 60_000), end: "</D:note>")
    }

    @Test func elementsThatConcernNobody() throws {
        let unknown = (0..<500).map { "<x:p\($0) xmlns:x='urn:x' a='\($0)'>text</x:p\($0)>" }
        try Feeder.expectLittleMemory(
            begin: "<D:response><D:propstat><D:prop>", piece: unknown.joined(),
            end: "</D:prop></D:propstat></D:response>")
    }

    @Test func commentsAndBlanks() throws {
        try Feeder.expectLittleMemory(
            begin: "",
            piece: "<!--" + String(repeating: "y", count: 900_000) + "-->\n\n  <?pi?>", end: "")
    }
}

private enum Feeder {
    struct TooMuch: Error { let kibibytes: Int }

    /// Parses a hundred megabytes made of one repeated piece.
    ///
    /// - Throws: When memory grows by more than 24 MiB.
    static func expectLittleMemory(begin: String, piece: String, end: String) throws {
        let builder = MultistatusBuilder()
        let reader = try XMLReader(builder)
        try reader.feed(Data("<D:multistatus xmlns:D='DAV:'>\(begin)".utf8))
        let bytes = Data(piece.utf8)
        let start = residentKibibytes
        var most = start
        for count in 0...((100 << 20) / bytes.count) {
            for start in stride(from: 0, to: bytes.count, by: 16 << 10) {
                try reader.feed(bytes[start..<min(start + 16 << 10, bytes.count)])
            }
            if count % 16 == 0 { most = max(most, residentKibibytes) }
        }
        try reader.feed(Data("\(end)</D:multistatus>".utf8))
        try reader.finish()
        guard most - start <= 24 << 10 else { throw TooMuch(kibibytes: most - start) }
    }

    private static var residentKibibytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
    }
}
