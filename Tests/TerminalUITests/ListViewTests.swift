import Testing

@testable import TerminalUI

@MainActor
@Suite struct ListViewTests {
    private func makeWords(_ count: Int) -> [String] { (0..<count).map { "word \($0)" } }

    @Test func theSelectionStaysWithWhatWasSelected() throws {
        let controller = WordsController(makeWords(30))
        let harness = try Harness(controller)
        for _ in 0..<10 { harness.press("j") }
        #expect(controller.list.selectedIdentity == AnyHashable("word 10"))
        controller.words.insert(contentsOf: ["a", "b", "c"], at: 0)
        controller.list.reloadData()
        #expect(controller.list.selectedIndex == 13)
        controller.words.removeFirst(9)
        controller.list.reloadData()
        #expect(controller.list.selectedIndex == 4)
        controller.words.reverse()
        controller.list.reloadData()
        #expect(controller.list.selectedIdentity == AnyHashable("word 10"))
    }

    @Test func theRowStaysWhereTheEyeIsWhenRowsComeAbove() throws {
        let controller = WordsController(makeWords(30))
        let harness = try Harness(controller)
        for _ in 0..<12 { harness.press("j") }
        let place = try #require(harness.lines.firstIndex { $0.contains("word 12 ") })
        controller.words.insert(contentsOf: ["a", "b", "c"], at: 2)
        controller.list.reloadData()
        harness.settle()
        #expect(harness.lines.firstIndex { $0.contains("word 12 ") } == place)
    }

    @Test func aNeighbourIsSelectedWhenTheRowIsGone() throws {
        let controller = WordsController(makeWords(5))
        let harness = try Harness(controller)
        harness.press("j", "j")
        controller.words.remove(at: 2)
        controller.list.reloadData()
        #expect(controller.list.selectedIdentity == AnyHashable("word 3"))
        #expect(controller.log.entries.last == "select word 3")
        harness.press("G")
        controller.words.removeLast()
        controller.list.reloadData()
        #expect(controller.list.selectedIdentity == AnyHashable("word 3"))
        controller.words = []
        controller.list.reloadData()
        #expect(controller.list.selectedIndex == nil)
        harness.settle()
        #expect(harness.lines.contains { $0.contains("Nothing here yet") })
        controller.words = ["new"]
        controller.list.reloadData()
        #expect(controller.list.selectedIndex == 0)
    }

    @Test(arguments: [
        (["j", "j", "k"] as [KeySequence], 1), (["Down", "Down", "Up"], 1), (["G"], 99),
        (["End", "Home"], 0), (["^d"], 3), (["^d", "^u"], 0), (["PgDn"], 6), (["PgDn", "PgUp"], 0),
        (["k"], 0), (["G", "j"], 99), (["G", "g g"], 0),
    ])
    func movesAsListsDoEverywhere(_ keys: [KeySequence], _ expected: Int) throws {
        let controller = WordsController(makeWords(100))
        let harness = try Harness(controller)
        for key in keys { harness.press(key) }
        #expect(controller.list.selectedIndex == expected)
        #expect(harness.lines.contains { $0.contains("word \(expected) ") })
    }

    @Test func clickSelectsAndASecondClickOpens() throws {
        let controller = WordsController(makeWords(100))
        let harness = try Harness(controller)
        harness.click(5, 3)
        #expect(controller.list.selectedIndex == 2)
        harness.click(5, 3)
        #expect(controller.log.entries.last == "open word 2")
    }

    @Test func theWheelScrollsAndTheSelectionStaysVisible() throws {
        let controller = WordsController(makeWords(100))
        let harness = try Harness(controller)
        for _ in 0..<4 {
            harness.application.handle(.mouse(MouseEvent(.scrollDown, at: Point(x: 5, y: 3))))
        }
        #expect(controller.list.firstVisibleIndex == 12)
        #expect(controller.list.selectedIndex == 12)
        for _ in 0..<9 {
            harness.application.handle(.mouse(MouseEvent(.scrollUp, at: Point(x: 5, y: 3))))
        }
        #expect(controller.list.firstVisibleIndex == 0)
    }

    @Test func marksFollowIdentities() throws {
        let controller = WordsController(makeWords(6))
        let harness = try Harness(controller)
        controller.list.allowsMarking = true
        harness.press("Space", "Space")
        #expect(controller.list.marks == ["word 0", "word 1"])
        #expect(controller.list.selectedIndex == 2)
        harness.press("k", "Space")
        #expect(controller.list.marks == ["word 0"])
        controller.list.clearMarks()
        #expect(controller.list.marks.isEmpty)
    }

    @Test func asksOnlyForRowsOnTheScreen() throws {
        let source = CountingSource()
        let controller = ViewController()
        let list = ListView()
        list.dataSource = source
        controller.view.addSubview(list)
        list.frame = Rect(x: 0, y: 0, width: 40, height: 9)
        let harness = try Harness(controller)
        list.reloadData()
        harness.settle()
        let before = source.askedCount
        harness.press("G")
        #expect(source.askedCount - before <= 9)
        #expect(harness.lines.contains { $0.contains("row 999999") })
    }

    @Test func everySizeKeepsTheSelectionOnTheScreen() throws {
        let controller = WordsController(makeWords(50))
        let harness = try Harness(controller)
        for _ in 0..<20 { harness.press("j") }
        for (width, height) in [(20, 6), (80, 24), (21, 7), (200, 60), (20, 6), (40, 8)] {
            harness.resize(width, height)
            #expect(harness.lines.contains { $0.contains("word 20") })
        }
    }

    @Test func columnsGiveWayToTheTitle() throws {
        let harness = try Harness(WordsController(["incomprehensibility"]), width: 24)
        #expect(harness.lines[1] == "│ incomprehensibility  │")
    }

    @Test func aMarkIsWholeBehindATitleThatIsCut() throws {
        let controller = WordsController(["Welcome to Byte Club.txt"])
        controller.mark = " draft"
        let harness = try Harness(controller, width: 26)
        #expect(harness.lines[1] == "│ Welcome to Byte… draft │")
        harness.resize(40, 10)
        #expect(harness.lines[1].hasPrefix("│ Welcome to Byte Club.txt draft "))
    }
}

private final class CountingSource: ListViewDataSource {
    var askedCount = 0

    func numberOfRows(in list: ListView) -> Int { 1_000_000 }

    func listView(_ list: ListView, rowAt index: Int) -> ListRow {
        askedCount += 1
        return ListRow("row \(index)")
    }

    func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable { index }
}
