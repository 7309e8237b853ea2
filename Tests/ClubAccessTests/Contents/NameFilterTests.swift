import Testing

@testable import ClubAccess

@Suite struct NameFilterTests {
    @Test(
        arguments: [
            ("", "anything", []), ("zz", "Fizz.txt", [2..<4]), ("FIZ", "fizz.txt", nil),
            ("Fiz", "Fizz.txt", [0..<3]), ("é", "Café ☕️.txt", [3..<4]),
            ("cafe", "Cafe\u{301} au lait", [0..<4]), ("txt.", "a.txt", nil),
            ("longer than the name", "a", nil),
            ("gro li", "Grocery list.txt", [0..<3, 8..<10]),
            ("li gro", "Grocery list.txt", [0..<3, 8..<10]),
            ("glist", "Grocery list.txt", [0..<1, 8..<12]), ("gro zz", "Grocery list.txt", nil),
            ("漢", "Ünïcode 漢字.md", [8..<9]), ("uni", "Ünïcode 漢字.md", [0..<3]),
        ] as [(String, String, [Range<Int>]?)])
    func finds(query: String, name: String, ranges: [Range<Int>]?) {
        let filter = NameFilter(query: query)
        #expect(filter.matches(name) == (ranges != nil))
        #expect(filter.matchedRanges(in: name) == (ranges ?? []))
    }

    @Test func whatFitsBetterHasTheLesserRank() {
        let filter = NameFilter(query: "list")
        #expect(filter.rank(of: "List of plans.txt") == .atStart)
        #expect(filter.rank(of: "Shopping list.txt") == .atWordStarts)
        #expect(filter.rank(of: "enlisted.txt") == .inside)
        #expect(filter.rank(of: "lions in stables.txt") == .scattered)
        #expect(NameFilter(query: "gro li").rank(of: "Grocery list.txt") == .atStart)
        #expect(NameFilter(query: "li gro").rank(of: "Grocery list.txt") == .atWordStarts)
        #expect(NameFilter(query: "Li").rank(of: "Limes.txt") == .atStart)
    }

    @Test func aLongerQueryNarrowsAShorterOne() {
        #expect(NameFilter(query: "ab c").narrows(NameFilter(query: "ab")))
        #expect(!NameFilter(query: "b").narrows(NameFilter(query: "ab")))
        #expect(!NameFilter(query: "a").narrows(NameFilter(query: "")))
    }
}
