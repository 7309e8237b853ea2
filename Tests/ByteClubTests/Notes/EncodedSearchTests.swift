import ClubAccess
import ClubStore
import ClubStoreTestSupport
import Foundation
import Testing

@testable import ByteClub

/// The search through all texts finds what the editor shows.
@MainActor @Suite(.timeLimit(.minutes(1))) struct EncodedSearchTests {
    private static let utf16 = Data(
        "\u{FEFF}first\nMüller's words\n".utf16.flatMap { unit -> [UInt8] in
            [UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8)]
        })
    private static let latin1 = Data([0x4D, 0xFC]) + Data("ller's words\n".utf8)

    @Test(arguments: [true, false])
    func textsOfOtherEncodingsAreFoundAndShownDecoded(keepsCopy: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "encoded-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let test = TestClub(library: keepsCopy ? folder : nil)
        try test.store.plant(Self.utf16, at: "/utf16.txt")
        try test.store.plant(Self.latin1, at: "/latin1.txt")
        try test.store.plant(Data("words\nbehind\0a NUL: müller\n".utf8), at: "/nul.txt")
        await test.waitUntil { $0.isConnected && $0.contents.notes.count == 3 }
        let texts = NoteTexts(club: test.club)
        for note in test.club.contents.notes { _ = try await texts.text(of: note) }
        await test.club.local?.finish()
        var found: [String: String] = [:]
        try await NoteSearcher(test.club, texts: texts).search("muller") { progress in
            for hit in progress.hits { found[hit.file.name] = "\(hit.line): \(hit.text)" }
        }
        #expect(
            found == [
                "utf16.txt": "2: Müller's words", "latin1.txt": "1: Müller's words",
                "nul.txt": "2: behind\0a NUL: müller",
            ])
        test.club.stop()
    }
}
