import Testing

@testable import TerminalUI

@MainActor
@Suite struct KeyTableTests {
    private let words = ["apple", "banana", "cherry", "date", "elder", "fig", "grape", "hazel"]

    @Test func keysReachTheNearestContextThatKnowsThem() throws {
        let controller = WordsController(words)
        let harness = try Harness(controller)
        harness.press("j", "j", "n", "Enter")
        #expect(controller.list.selectedIndex == 2)
        #expect(controller.log.entries.suffix(2) == ["new", "open cherry"])
    }

    @Test func aSequenceWaitsForItsLastKey() throws {
        let controller = WordsController(words)
        let harness = try Harness(controller)
        harness.press("G")
        #expect(controller.list.selectedIndex == 7)
        harness.press("g")
        #expect(controller.list.selectedIndex == 7)
        #expect(harness.footer == " g …")
        harness.press("g")
        #expect(controller.list.selectedIndex == 0)
        #expect(!harness.footer.contains("…"))
    }

    @Test func aSequenceThatLeadsNowhereDoesNothingAndSaysSo() throws {
        let controller = WordsController(words)
        let harness = try Harness(controller)
        harness.press("g", "d")
        #expect(!controller.log.entries.contains("delete"))
        #expect(harness.footer == " g d does nothing here.")
        harness.press("d")
        #expect(controller.log.entries.last == "delete")
    }

    @Test func escapeEndsASequenceQuietly() throws {
        let harness = try Harness(WordsController(words))
        harness.press("g", "Esc")
        #expect(harness.application.message == nil)
        #expect(!harness.footer.contains("…"))
    }

    @Test func aDisabledKeySaysWhy() throws {
        let controller = WordsController([])
        let harness = try Harness(controller)
        harness.press("d")
        #expect(harness.footer == " There is no word to delete.")
        #expect(!controller.log.entries.contains("delete"))
        harness.press("Enter")
        #expect(harness.footer == " The list is empty.")
    }

    @Test func theUsersKeysReplaceTheCommandsOwn() throws {
        let controller = WordsController(words)
        let bindings = KeyBindings(["words.new": ["g n"], "words.delete": []])
        let harness = try Harness(controller, width: 80, bindings: bindings)
        #expect(harness.footer.contains("g n new"))
        #expect(!harness.footer.contains("delete"))
        harness.press("n", "d")
        #expect(!controller.log.entries.contains("new"))
        harness.press("g n")
        #expect(controller.log.entries.last == "new")
    }

    @Test func conflictsOfBindingsAreFound() {
        let first = KeyCommand("a", keys: ["g g", "x"], title: "A")
        let second = KeyCommand("b", keys: ["g"], title: "B")
        let third = KeyCommand("c", keys: ["y"], title: "C")
        #expect(KeyBindings().conflicts(among: [first, second, third]).count == 1)
        let bindings = KeyBindings(["c": ["x"]])
        #expect(bindings.conflicts(among: [first, second, third]).map(\.second.id) == ["b", "c"])
        #expect(KeyBindings().conflicts(among: KeyCommand.listCommands).isEmpty)
        #expect(KeyBindings().conflicts(among: KeyCommand.applicationCommands).isEmpty)
    }

    @Test func whatIsTypedIntoAFieldIsNoCommandOfTheContextsBehind() throws {
        let log = Log()
        let controller = FieldController(log: log)
        let harness = try Harness(controller)
        harness.type("qnd?1")
        #expect(controller.field.text == "qnd?1")
        #expect(log.entries.isEmpty)
        #expect(harness.screen.cursor == Point(x: 5, y: 0))
        harness.press("F1")
        #expect(harness.application.topViewController is KeyMenuController)
    }

    @Test func keysThatWouldBeWrittenAreNotOffered() throws {
        let harness = try Harness(FieldController(log: Log()), width: 80)
        #expect(harness.footer == " F1 keys")
    }

    @Test func aPasteGoesToTheFieldAndInAListNowhere() throws {
        let controller = FieldController(log: Log())
        let harness = try Harness(controller)
        harness.application.handle(.paste("dd\nq"))
        #expect(controller.field.text == "dd\nq")

        let list = WordsController(words)
        let other = try Harness(list)
        other.application.handle(.paste("dqnG\n"))
        other.settle()
        #expect(list.log.entries == ["select apple", "Words will appear", "Words did appear"])
        #expect(list.list.selectedIndex == 0)
    }

    @Test func theFooterHasTheMostImportantKeysThatFitInThatOrder() {
        let items = [
            FooterItem(keys: "Enter", label: "open", weight: 95),
            FooterItem(keys: "n", label: "new", weight: 90),
            FooterItem(keys: "d", label: "delete", weight: 60),
            FooterItem(keys: "?", label: "keys", weight: 100),
        ]
        func fitting(_ columns: Int) -> [String] {
            FooterItem.fitting(items, columns: columns).map(\.label)
        }
        #expect(fitting(80) == ["keys", "open", "new", "delete"])
        #expect(fitting(35) == ["keys", "open", "new", "delete"])
        #expect(fitting(34) == ["keys", "open", "new"])
        #expect(fitting(24) == ["keys", "open"])
        #expect(fitting(10) == ["keys"])
        #expect(fitting(3) == [])
    }

    @Test(arguments: [20, 33, 57, 80, 200])
    func theFooterNeverLeavesItsRow(_ width: Int) throws {
        let harness = try Harness(WordsController(words), width: width)
        #expect(harness.footer.count < width)
        #expect(harness.footer.contains("? keys"))
    }

    @Test func theKeyMenuFiltersAndRunsTheChosenOne() throws {
        let controller = WordsController(words)
        let harness = try Harness(controller, width: 60, height: 20)
        harness.press("?")
        #expect(harness.application.topViewController is KeyMenuController)
        harness.type("new w")
        #expect(harness.lines.contains { $0.contains("/ new w") })
        #expect(harness.lines.contains { $0.contains("n  +") && $0.contains("New word") })
        harness.press("Enter")
        #expect(controller.log.entries.last == "new")
        #expect(harness.application.topViewController === controller)
    }

    @Test func escapeInTheKeyMenuClearsTheFilterFirst() throws {
        let harness = try Harness(WordsController(words), width: 60, height: 20)
        harness.press("?")
        harness.type("zzz")
        #expect(harness.lines.contains { $0.contains("No key matches.") })
        harness.press("Enter")
        #expect(harness.footer == " Nothing matches.")
        harness.press("Esc")
        #expect(harness.application.topViewController is KeyMenuController)
        harness.press("Esc")
        #expect(harness.application.topViewController is WordsController)
    }

    @Test func theKeyMenuRunsADisabledCommandByItsReason() throws {
        let harness = try Harness(WordsController([]), width: 60, height: 20)
        harness.press("?")
        harness.type("delete the")
        harness.press("Enter")
        #expect(harness.footer == " There is no word to delete.")
    }
}

/// A field alone, before commands that would take its letters.
final class FieldController: ViewController {
    let field = PlainField()
    let log: Log

    init(log: Log) {
        self.log = log
        super.init()
    }

    override func viewDidLoad() { view.addSubview(field) }

    override func layoutView(in bounds: Rect) { field.frame = bounds }

    override var keyTable: KeyTable {
        KeyTable("Field") {
            KeyCommand("x.n", keys: ["n"], title: "N").performs { self.log.note("n") }
            KeyCommand("x.q", keys: ["q"], title: "Q").performs { self.log.note("q") }
        }
    }
}
