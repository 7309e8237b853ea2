import Foundation
import Testing

@testable import ClubStore

/// A hundred megabytes of multistatus, each kind in a program of its own, whose memory is its own.
@Suite struct MultistatusMemoryTests {
    @Test func aLongTextThatConcernsNobodyIsNotHeld() async {
        await #expect(processExitsWith: .success) {
            try Feeder.expectLittleMemory(
                begin: "<D:note>", piece: String(repeating: "x", count: 60_000), end: "</D:note>")
        }
    }

    @Test func elementsThatConcernNobodyAreNotHeld() async {
        await #expect(processExitsWith: .success) {
            let unknown = (0..<500).map { "<x:p\($0) xmlns:x='urn:x' a='\($0)'>text</x:p\($0)>" }
            try Feeder.expectLittleMemory(
                begin: "<D:response><D:propstat><D:prop>", piece: unknown.joined(),
                end: "</D:prop></D:propstat></D:response>")
        }
    }

    @Test func commentsAndBlanksAreNotHeld() async {
        await #expect(processExitsWith: .success) {
            try Feeder.expectLittleMemory(
                begin: "",
                piece: "<!--" + String(repeating: "y", count: 900_000) + "-->\n\n  <?pi?>", end: "")
        }
    }
}

private enum Feeder {
    struct TooMuch: Error { let kibibytes: Int }

    /// Reads a hundred megabytes made of one piece over and over.
    ///
    /// - Throws: When the program has grown by more than 24 MiB meanwhile.
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
