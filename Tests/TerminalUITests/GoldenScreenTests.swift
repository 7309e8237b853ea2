import Testing

@testable import TerminalUI

/// Whole screens as a person sees them.
@MainActor
@Suite struct GoldenScreenTests {
    private let words = ["apple", "banana", "日本語", "date", "elder", "fig", "grape", "hazel"]

    private func makeTabs() -> TabBarController {
        let tabs = TabBarController([
            WordsController(words, title: "Notes"), WordsController([], title: "PanoPhotos"),
        ])
        tabs.brand = TextLine("Club", .heading)
        tabs.status = TextLine("offline", .warning)
        return tabs
    }

    private func expect(
        _ harness: Harness, _ golden: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let expected = golden.split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
        #expect(
            harness.lines == expected, "got\n\(harness.screen.text)",
            sourceLocation: sourceLocation)
    }

    @Test func aTabWithAList() throws {
        let harness = try Harness(makeTabs(), width: 50, height: 8)
        expect(
            harness,
            """
             Club    Notes   PanoPhotos             offline
            ╭─ Notes ────────────────────────────────────────╮
            │ apple                                       5 ▐│
            │ banana                                      6 ▐│
            │ 日本語                                      3  │
            │ date                                        4  │
            ╰────────────────────────────────────────────────╯
             ? keys  Enter open  n new  d delete  q quit
            """)
        let theme = Theme(depth: .palette)
        let map = harness.screen.attributeMap([
            theme[.heading], theme[.activeTab], theme[.inactiveTab], theme[.warning],
            theme[.focusedBorder], theme[.selection], theme[.border], theme[.key],
        ])
        #expect(map[0] == ".aaaa...bbbbbbb..cccccccccc.............ddddddd...")
        #expect(map[2] == "e" + String(repeating: "f", count: 47) + "ge")
    }

    @Test func theSmallestScreen() throws {
        let harness = try Harness(makeTabs(), width: 20, height: 6)
        expect(
            harness,
            """
              Notes   PanoPhotos
            ╭─ Notes ──────────╮
            │ apple         5 ▐│
            │ banana        6  │
            ╰──────────────────╯
             ? keys  Enter open
            """)
    }

    @Test func anAlertOverAList() throws {
        let tabs = makeTabs()
        let harness = try Harness(tabs, width: 50, height: 10)
        tabs.present(
            AlertController.confirmation(
                title: "Delete note?", message: "“apple” will be deleted from the club.",
                confirm: "Delete", key: "d"
            ) {})
        harness.settle()
        expect(
            harness,
            """
             Club    Notes   PanoPhotos             offline
            ╭─ Notes ────────────────────────────────────────╮
            │ ap╭─ Delete note? ─────────────────────────╮5 ▐│
            │ ba│ “apple” will be deleted from the club. │6 ▐│
            │ 日│                                        │3 ▐│
            │ da│                   Cancel      Delete   │4 ▐│
            │ el╰────────────────────────────────────────╯5  │
            │ fig                                         3  │
            ╰────────────────────────────────────────────────╯
             ? keys  Esc cancel  d delete  Tab next
            """)
    }

    @Test func anAlertOnTheSmallestScreen() throws {
        let tabs = makeTabs()
        let harness = try Harness(tabs, width: 20, height: 6)
        tabs.present(
            AlertController.confirmation(
                title: "Delete note?", message: "“apple” will be deleted.", confirm: "Delete"
            ) {})
        harness.settle()
        expect(
            harness,
            """
            ╭─ Delete note? ───╮
            │“apple” will be   │
            │deleted.          │
            │  Cancel   Delete │
            ╰──────────────────╯
             ? keys  Esc cancel
            """)
    }

    @Test func aFormInABox() throws {
        let root = WordsController([], title: "Notes")
        let harness = try Harness(root, width: 60, height: 17)
        root.present(FormController())
        harness.type("fizz buzz")
        expect(
            harness,
            """
            ╭─ Notes ──────────────────────────────────────────────────╮
            │  ╭─ New note ─────────────────────────────────────────╮  │
            │  │ Challenge name                                     │  │
            │  │ fizz buzz                                          │  │
            │  │                                                    │  │
            │  │ Note                                               │  │
            │  │                                                    │  │
            │  │                                                    │  │
            │  │                                                    │  │
            │  │                                                    │  │
            │  │                                                    │  │
            │  │                                                    │  │
            │  │                                                    │  │
            │  │                                 Cancel      Done   │  │
            │  ╰────────────────────────────────────────────────────╯  │
            ╰──────────────────────────────────────────────────────────╯
             F1 keys  Esc cancel  Tab next
            """)
        #expect(harness.screen.cursor == Point(x: 14, y: 3))
    }
}
