import Testing

@testable import TerminalUI

/// What is shown of words that have too little room.
@MainActor @Suite struct FittingTests {
    private let row = ListRow(
        "sea.jpg", facts: ["150 KB", "1 min", "2400×1200"], details: ["more"])

    @Test(arguments: [
        (40, "150 KB · 1 min · 2400×1200"), (26, "150 KB · 1 min · 2400×1200"),
        (25, "150 KB · 1 min"), (13, "150 KB"), (3, "150 KB"),
    ])
    func factsAreLeftOutAsAWhole(columns: Int, line: String) {
        #expect(row.linesBelowTitle(columns: columns).map(\.text) == [line, "more"])
    }

    private func lines(of view: View) -> [String] {
        let screen = TestScreen(size: view.frame.size)
        let surface = Surface(size: view.frame.size)
        view.draw(on: surface)
        screen.present(surface, cursor: nil)
        return screen.lines
    }

    @Test func wordsInPlaceOfAPictureAreWrapped() {
        let view = ImageView()
        view.placeholder = "It is not a picture. D downloads it."
        func drawn(_ width: Int, _ height: Int) -> [String] {
            view.frame = Rect(x: 0, y: 0, width: width, height: height)
            return lines(of: view)
        }
        #expect(drawn(40, 3)[1].contains("It is not a picture. D downloads it."))
        #expect(
            drawn(20, 4).map { $0.filter { $0 != " " } }
                == ["", "Itisnotapicture.", "Ddownloadsit.", ""])
        #expect(drawn(20, 1)[0].contains("It is not a picture."))
    }

    @Test func theLongestTitleThatFitsIsShown() throws {
        let panel = Panel("Photos", content: View())
        panel.trailingTitle = "1003 marked · 1003 · name"
        panel.shorterTrailingTitles = ["1003 marked · 1003", "1003 marked"]
        func edge(_ width: Int) -> String {
            panel.frame = Rect(x: 0, y: 0, width: width, height: 3)
            return lines(of: panel)[0]
        }
        #expect(edge(60).contains("1003 · name"))
        #expect(edge(38).contains(" 1003 marked · 1003 ╮"))
        #expect(edge(26).contains(" 1003 marked ╮"))
        #expect(edge(20).contains(" Photos ─") && !edge(20).contains("1003"))
    }
}
