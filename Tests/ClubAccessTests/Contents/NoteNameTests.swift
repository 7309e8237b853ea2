import Testing

@testable import ClubAccess

@Suite struct NoteNameTests {
    @Test(arguments: [
        ("Groceries", "Groceries.txt"),
        ("  spaced out  ", "spaced out.txt"),
        ("fizzbuzz.swift", "fizzbuzz.swift"),
        ("README.md", "README.md"),
        ("Chapter 1. Trees", "Chapter 1. Trees.txt"),
        ("v1.2", "v1.2"),
        ("naïve ☕️", "naïve ☕️.txt"),
        ("ends with a dot.", "ends with a dot..txt"),
    ])
    func makesAFileName(typed: String, fileName: String) throws {
        #expect(try NoteName(typed).fileName == fileName)
    }

    @Test(arguments: [
        ("", "needs a name"),
        ("   \t", "needs a name"),
        (".hidden", "dot"),
        ("..", "dot"),
        ("a/b", "slash"),
        ("a\\b", "slash"),
        ("a\u{1b}[31mb", "control"),
        ("a\u{7}b", "control"),
        ("two\nlines", "control"),
        (String(repeating: "é", count: 126), "too long"),
    ])
    func refusesWithTheReason(typed: String, reason: String) {
        let refusal = #expect(throws: NoteName.Refusal.self) { try NoteName(typed) }
        #expect(refusal?.description.contains(reason) == true)
    }

    @Test func takesTheLongestNameThereIs() throws {
        let name = String(repeating: "x", count: 251)
        #expect(try NoteName(name).fileName.utf8.count == 255)
        #expect(throws: NoteName.Refusal.self) { try NoteName(name + "x") }
    }
}
