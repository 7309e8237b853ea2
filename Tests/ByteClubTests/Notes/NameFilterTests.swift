import Testing

@testable import ByteClub
@testable import ClubAccess

@Suite struct NameFilterTests {
    @Test(
        arguments: [
            ("", "anything", nil), ("zz", "Fizz.txt", 2..<4), ("FIZ", "fizz.txt", nil),
            ("Fiz", "Fizz.txt", 0..<3), ("é", "Café ☕️.txt", 3..<4), ("txt.", "a.txt", nil),
            ("longer than the name", "a", nil),
        ] as [(String, String, Range<Int>?)])
    func finds(query: String, name: String, range: Range<Int>?) {
        let filter = NameFilter(query: query)
        #expect(filter.matchedRange(in: name) == range)
        #expect(filter.matches(name) == (query.isEmpty || range != nil))
    }
}
