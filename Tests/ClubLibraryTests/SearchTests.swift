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
        Set(try test.copy.search(query).map(\.path.string))
    }

    @Test(arguments: [
        ("queens", ["/q.txt"]), ("QUEENS", ["/q.txt"]), ("uee", ["/q.txt"]),
        ("board queens", ["/q.txt"]),
        ("queens nowhere", []), ("日本", ["/j.txt"]), ("本語の", ["/j.txt"]), ("straße", ["/d.txt"]),
        ("ÄRGER", ["/d.txt"]), ("\"q\"", ["/d.txt"]), ("100%", ["/d.txt"]), ("a_b", ["/d.txt"]),
        ("ax", []),
        ("j.txt", ["/j.txt"]), ("", []), ("NEAR(", []), ("*", []), ("\"", ["/d.txt"]),
    ])
    func findsNotesThatHaveAllWords(query: String, expected: [String]) throws {
        try keep("Eight Queens\non one board", at: "/q.txt")
        try keep("これは日本語のノートです", at: "/j.txt")
        try keep("Straße, Ärger, \"q\" 100% a_b", at: "/d.txt")
        #expect(try paths(query) == Set(expected))
    }

    @Test func saysWhereTheWordsAre() throws {
        try keep("one\n  two é threes\nthree", at: "/a.txt")
        let hit = try #require(try test.copy.search("three").first)
        #expect(hit.line == 1)
        #expect(hit.column == 9)
        #expect(hit.excerpt == "  two é threes")
        #expect(hit.matches == [9..<14])
        let named = try #require(try test.copy.search("a.txt").first)
        #expect(named.line == nil)
    }

    @Test func findsANoteAsItIsNow() throws {
        try keep("the old word", at: "/a.txt")
        try keep("the new one", at: "/a.txt", revision: "r2")
        #expect(try paths("word").isEmpty)
        #expect(try paths("new one") == ["/a.txt"])
        try test.copy.replaceListing(
            with: makeListing([makeFile("/a.txt", "the new one", revision: "r2")]))
        try test.copy.apply(
            Listing(entries: [.deleted(makePath("/a.txt"))], cursor: Cursor(rawValue: "c")))
        #expect(try paths("new").isEmpty)
    }

    @Test func whatIsNoTextIsNotFoundAndHarmsNothing() throws {
        let file = try makeFile("/b.bin", "xxxx")
        try test.copy.keep([(file, Data([0xff, 0xfe, 0x00, 0x41]))])
        #expect(try test.copy.text(of: file)?.data == Data([0xff, 0xfe, 0x00, 0x41]))
        #expect(try paths("AAA").isEmpty)
    }
}
