import ClubStore
import Foundation
import Testing

@testable import ClubLibrary

@Suite struct SearchTests {
    let test = TestLibrary()

    private func keep(_ text: String, at path: String, revision: String = "r1") throws {
        try test.copy.keep(text, of: makeFile(path, text, revision: revision))
    }

    private func paths(_ query: String) throws -> Set<String> {
        let words = query.split(separator: " ").map(String.init)
        return Set(try test.copy.candidates(for: words).map(\.path.string))
    }

    @Test(arguments: [
        ("queens", ["/q.txt"]), ("QUEENS", ["/q.txt"]), ("uee", ["/q.txt"]),
        ("board queens", ["/q.txt"]), ("queens nowhere", []), ("本語の", ["/j.txt"]),
        ("straße", ["/d.txt"]), ("ärger", ["/d.txt"]), ("arger", ["/d.txt"]), ("ÄRGER", ["/d.txt"]),
        ("\"q\"", ["/d.txt"]), ("100%", ["/d.txt"]), ("a_b", ["/d.txt"]),
        ("NEAR(", []), ("***", []), ("\"\"\"", []), ("body:queens", []),
    ])
    func findsTextsThatHaveAllWords(query: String, expected: [String]) throws {
        try keep("Eight Queens\non one board", at: "/q.txt")
        try keep("これは日本語のノートです", at: "/j.txt")
        try keep("Straße, Ärger, \"q\" 100% a_b", at: "/d.txt")
        #expect(try paths(query) == Set(expected))
    }

    @Test(arguments: ["日本", "ax", "", "\0"])
    func leavesNothingOutForWordsThatAreTooShort(query: String) throws {
        try keep("Eight Queens", at: "/q.txt")
        try keep("日本", at: "/j.txt")
        #expect(try paths(query) == ["/q.txt", "/j.txt"])
    }

    @Test(arguments: ["word", "wo"])
    func goesOnFromAPageToTheNext(query: String) throws {
        for number in 0..<10 { try keep("word \(number)", at: "/\(number).txt") }
        var found: [String] = []
        var position: Int64?
        while true {
            let page = try test.copy.candidates(for: [query], before: position, limit: 3)
            guard let last = page.last else { break }
            found += page.map(\.path.name)
            position = last.position
        }
        #expect(found == (0..<10).reversed().map { "\($0).txt" })
    }

    @Test func tellsWhatTheIndexDoesNotKnow() throws {
        try keep("word", at: "/a.txt")
        let latest = try test.copy.latestPosition()
        #expect(try test.copy.candidates(for: ["word"], after: latest).isEmpty)
        let files = try [
            makeFile("/a.txt", "word", revision: "r1"), makeFile("/a.txt", "word", revision: "r2"),
            makeFile("/b.txt", "word", revision: "r1"),
        ]
        #expect(try test.copy.filesWithoutIndex(among: files) == [files[1], files[2]])
        try keep("word", at: "/b.txt")
        #expect(
            try test.copy.candidates(for: ["word"], after: latest).map(\.path.name) == ["b.txt"])
    }

    /// What is taken out of the index must be what was put in, letters with accents too.
    @Test func findsNothingOfATextThatWasReplaced() throws {
        try keep("Ärger im Café", at: "/a.txt")
        try keep("something else", at: "/a.txt", revision: "r2")
        #expect(try paths("cafe").isEmpty)
        #expect(try paths("else") == ["/a.txt"])
        try test.copy.write {
            try $0.execute("INSERT INTO words (words) VALUES ('integrity-check')")
        }
    }

    @Test func findsANoteAsItIsNow() throws {
        try keep("the old word", at: "/a.txt")
        try keep("the new one", at: "/a.txt", revision: "r2")
        #expect(try paths("word").isEmpty)
        #expect(try paths("new one") == ["/a.txt"])
        try test.copy.replaceListing(
            with: makeListing([makeFile("/a.txt", "the new one", revision: "r2")]))
        try test.copy.apply(
            Listing(entries: [.deleted(makePath("/a.txt"))], cursor: Cursor(rawValue: "c")),
            after: Cursor(rawValue: "c1"))
        #expect(try paths("new").isEmpty)
    }

    @Test func whatIsNoTextIsNotFoundAndHarmsNothing() throws {
        let file = try makeFile("/b.bin", "xxxx")
        try test.copy.keep([(file, Data([0xff, 0xfe, 0x00, 0x41]))])
        #expect(try test.copy.text(of: file)?.data == Data([0xff, 0xfe, 0x00, 0x41]))
        #expect(try paths("AAA").isEmpty)
    }
}
