import Testing

@testable import TerminalUI

@MainActor
@Suite struct ApplicationTests {
    @Test func controllersLearnWhenTheyComeAndGo() throws {
        let log = Log()
        let tabs = TabBarController([
            WordsController([], title: "One", log: log),
            WordsController([], title: "Two", log: log),
        ])
        let harness = try Harness(tabs)
        #expect(log.entries == ["One will appear", "One did appear"])
        harness.press("2")
        #expect(
            log.entries.suffix(3) == ["One did disappear", "Two will appear", "Two did appear"])
        harness.press("Tab")
        #expect(tabs.selectedIndex == 0)
        harness.press("S-Tab")
        #expect(tabs.selectedIndex == 1)
        harness.click(2, 0)
        #expect(tabs.selectedIndex == 0)
    }

    @Test func modalsStackAndTheKeysComeBack() throws {
        let root = WordsController(["a", "b"])
        let harness = try Harness(root, width: 60, height: 16)
        let first = FormController()
        root.present(first)
        let second = AlertController(title: "Sure?", message: "Really?")
        first.present(second)
        harness.settle()
        #expect(harness.application.topViewController === second)
        harness.press("n", "1", "j")
        #expect(!root.log.entries.contains("new"))
        #expect(root.list.selectedIndex == 0)
        harness.press("Enter")
        #expect(harness.application.topViewController === first)
        #expect(first.name.isFirstResponder)
        first.dismiss()
        #expect(root.list.isFirstResponder)
        harness.press("j")
        #expect(root.list.selectedIndex == 1)
    }

    @Test func dismissingTheLowerBoxTakesTheUpperOneToo() throws {
        let root = WordsController(["a"])
        let harness = try Harness(root)
        let first = FormController()
        root.present(first)
        first.present(AlertController(title: "T", message: "M"))
        first.dismiss()
        #expect(harness.application.topViewController === root)
        #expect(root.list.isFirstResponder)
        first.dismiss()
        #expect(harness.application.topViewController === root)
    }

    @Test func aTextThatDoesNotFitItsBoxCanBeReadToItsEnd() throws {
        let root = ViewController()
        let harness = try Harness(root, width: 20, height: 6)
        let words = (1...20).map { "word\($0)" }
        root.present(
            AlertController(title: "Long", message: TextLine(words.joined(separator: " "))))
        harness.settle()
        var seen = harness.lines.joined(separator: "\n")
        #expect(seen.contains("word1"))
        #expect(!seen.contains("word20"))
        for _ in words {
            harness.press("PgDn")
            seen += harness.lines.joined(separator: "\n")
        }
        for word in words { #expect(seen.contains(word), "\(word)") }
        #expect(harness.lines.joined().contains("word20"))
        for _ in words { harness.press("PgUp") }
        #expect(harness.lines.joined().contains("word1 "))
    }

    @Test func tabWalksTheFieldsOfABoxAndBackAround() throws {
        let root = WordsController(["a"])
        let harness = try Harness(root, width: 60, height: 16)
        let form = FormController()
        root.present(form)
        harness.type("x")
        harness.press("Tab")
        harness.type("y")
        harness.press("Tab", "Tab")
        #expect(form.done.isFirstResponder)
        harness.press("Tab")
        harness.type("z")
        #expect(form.name.text == "xz")
        #expect(form.note.text == "y")
        harness.press("S-Tab", "Enter")
        #expect(form.log.entries == ["done"])
    }

    @Test func anAlertAnswersByKeyButtonAndEscape() throws {
        for (keys, answer) in [
            (["Enter"] as [KeySequence], "keep"), (["d"], "discard"), (["Esc"], "keep"),
            (["Left", "Enter"], "save"), (["Tab", "Enter"], "save"), (["^C"], "keep"),
        ] {
            let log = Log()
            let root = WordsController(["a"])
            let harness = try Harness(root, width: 60, height: 16)
            root.present(
                AlertController(
                    title: "Save?", message: "The note was changed.",
                    actions: [
                        AlertAction("Save", key: "s") { log.note("save") },
                        AlertAction("Discard", key: "d", kind: .destructive) {
                            log.note("discard")
                        },
                        AlertAction("Keep editing", kind: .cancel) { log.note("keep") },
                    ], preferred: 2))
            harness.settle()
            if keys == ["Left", "Enter"] { harness.press("Left") }
            for key in keys { harness.press(key) }
            #expect(log.entries == [answer], "\(keys)")
            #expect(harness.application.topViewController === root)
        }
    }

    @Test func aDestructiveAnswerIsNeverThePreferredOne() throws {
        let log = Log()
        let root = WordsController(["a"])
        let harness = try Harness(root)
        root.present(
            AlertController.confirmation(
                title: "Delete?", message: "It is gone then.", confirm: "Delete", key: "d"
            ) { log.note("deleted") })
        harness.press("Enter")
        #expect(log.entries.isEmpty)
        root.present(
            AlertController.confirmation(
                title: "Delete?", message: "It is gone then.", confirm: "Delete", key: "d"
            ) { log.note("deleted") })
        harness.press("Tab", "Enter")
        #expect(log.entries == ["deleted"])
    }

    @Test func manyChangesAreOneFrame() throws {
        let controller = WordsController(["a"])
        let harness = try Harness(controller)
        let before = harness.screen.frameCount
        for index in 0..<100 {
            controller.words.append("\(index)")
            controller.list.reloadData()
        }
        harness.settle()
        #expect(harness.screen.frameCount == before + 1)
        harness.scheduler.advance(by: .seconds(5))
        #expect(harness.screen.frameCount == before + 1)
    }

    @Test func aStormOfResizesIsOneFrameOfTheLastSize() throws {
        let harness = try Harness(WordsController(["a"]))
        let before = harness.screen.frameCount
        for step in 0..<200 {
            harness.screen.setSize(Size(width: 1 + step % 150, height: 1 + step % 60))
            harness.application.sizeMayHaveChanged()
        }
        harness.resize(44, 11)
        #expect(harness.screen.frameCount <= before + 2)
        #expect(harness.screen.cells.count == 44 * 11)
    }

    @Test(arguments: [(1, 1), (5, 2), (19, 6), (20, 5)])
    func tooSmallAScreenSaysSo(_ width: Int, _ height: Int) throws {
        let harness = try Harness(WordsController(["a"]))
        harness.resize(width, height)
        #expect(harness.lines.joined().contains("T"))
        harness.resize(20, 6)
        #expect(harness.lines[0].hasPrefix("╭─ Words"))
    }

    @Test func theButtonThatEnterPressesIsInSight() throws {
        let root = WordsController(["a"])
        let harness = try Harness(root, width: 20, height: 6)
        let names = ["First", "Second", "Third", "Fourth", "Fifth"]
        root.present(
            AlertController(
                title: "T", message: "M", actions: names.map { AlertAction($0) }, preferred: 4))
        harness.settle()
        for name in names.reversed() {
            #expect(harness.lines.contains { $0.contains(name) })
            harness.press("Up")
        }
        #expect(harness.lines.contains { $0.contains("Fifth") })
    }

    @Test func aMessageGoesByItselfOrWithTheNextKey() throws {
        let harness = try Harness(WordsController(["a"]))
        harness.application.showMessage("Saved.", .success)
        harness.settle()
        #expect(harness.footer == " Saved.")
        harness.scheduler.advance(by: .seconds(6))
        #expect(harness.footer.contains("? keys"))
        harness.application.showMessage("No network.", .error, for: nil)
        harness.scheduler.advance(by: .seconds(60))
        #expect(harness.footer == " No network.")
        harness.press("j")
        #expect(harness.footer.contains("? keys"))
        #expect(!harness.scheduler.isArmed)
    }

    @Test func aLongMessageTakesTheRowsItNeeds() throws {
        let harness = try Harness(WordsController(["a"]), width: 20, height: 6)
        harness.application.showMessage("The club cannot be reached.", .error, for: nil)
        harness.settle()
        #expect(Array(harness.lines.suffix(2)) == [" The club cannot be", " reached."])
        let words = Array(repeating: "word", count: 30).joined(separator: " ")
        harness.application.showMessage(words, for: nil)
        harness.settle()
        #expect(harness.lines.suffix(3).allSatisfy { $0.hasPrefix(" word word word") })
        #expect(harness.footer == " word word word…")
        harness.press("j")
        #expect(!harness.lines.contains { $0.contains("word") })
    }

    @Test func nothingTicksAtRestAndTheWheelOnlyWhileItTurns() throws {
        let tabs = TabBarController([WordsController(["a"])])
        let harness = try Harness(tabs)
        #expect(!harness.scheduler.isArmed)
        tabs.activityIndicator.start()
        tabs.activityIndicator.start()
        harness.settle()
        #expect(harness.scheduler.isArmed)
        let wheel = harness.lines[0].last
        harness.scheduler.advance(by: .milliseconds(120))
        #expect(harness.lines[0].last != wheel)
        tabs.activityIndicator.stop()
        #expect(tabs.activityIndicator.isAnimating)
        tabs.activityIndicator.stop()
        harness.settle()
        #expect(!harness.scheduler.isArmed)
        #expect(harness.lines[0] == "  Words")
    }

    @Test func theWheelCoversNoTitle() throws {
        let (notes, photos) = (WordsController(["a"]), WordsController(["b"]))
        (notes.title, photos.title) = ("Notes", "PanoPhotos")
        let tabs = TabBarController([notes, photos])
        let harness = try Harness(tabs, width: 20, height: 6)
        tabs.activityIndicator.start()
        harness.settle()
        #expect(harness.lines[0].hasSuffix(" Notes   PanoPhotos"))
        #expect(harness.lines[0].first != " ")
    }

    @Test func quittingAsksTheDelegate() throws {
        let delegate = Reluctant()
        let harness = try Harness(WordsController(["a"]))
        harness.application.delegate = delegate
        harness.press("q")
        #expect(harness.screen.isOpen)
        delegate.isReady = true
        harness.press("q")
        #expect(!harness.screen.isOpen)
        #expect(harness.application.ending.status == 0)
    }

    @Test func aFocusedViewThatLeavesGivesTheKeysBack() throws {
        let controller = FieldController(log: Log())
        let harness = try Harness(controller)
        controller.field.removeFromSuperview()
        #expect(harness.application.firstResponder === controller)
        harness.type("n")
        #expect(controller.log.entries == ["n"])
    }

    @Test func theClipboardGetsItsTextEncoded() throws {
        let harness = try Harness(WordsController(["a"]))
        harness.application.copyToClipboard("hé\n")
        #expect(
            String(decoding: harness.screen.sentBytes, as: UTF8.self)
                == "\u{1B}]52;c;aMOpCg==\u{07}")
    }

    @Test func progressIsFullOnlyWhenAllIsDone() {
        #expect(ProgressView.percent(0.9999) == 99)
        #expect(ProgressView.percent(1) == 100)
        #expect(ProgressView.eighths(of: 0.9999, in: 10) == 79)
        #expect(ProgressView.eighths(of: 0.0001, in: 10) == 1)
        #expect(ProgressView.eighths(of: 1, in: 10) == 80)
        #expect(ProgressView.eighths(of: nil, in: 10) == 0)
        #expect(ProgressView.eighths(of: .nan, in: 10) == 0)
    }
}

private final class Reluctant: ApplicationDelegate {
    var isReady = false
    func applicationShouldTerminate(_ application: Application) -> Bool { isReady }
}

/// Two fields and two buttons.
final class FormController: ViewController {
    let name = PlainField()
    let note = PlainField()
    let log = Log()
    lazy var cancel = Button("Cancel") { [weak self] in self?.log.note("cancel") }
    lazy var done = Button("Done") { [weak self] in self?.log.note("done") }
    private let form = FormView()

    override init() {
        super.init()
        title = "New note"
    }

    override func viewDidLoad() {
        form.add("Challenge name", name)
        form.add("Note", note, height: nil)
        form.add(ButtonRow([cancel, done]))
        view.addSubview(form)
    }

    override func layoutView(in bounds: Rect) { form.frame = bounds }

    override func preferredSize(in available: Size) -> Size {
        Size(width: min(50, available.width), height: min(12, available.height))
    }

    override var keyTable: KeyTable {
        KeyTable("New note") {
            KeyCommand("note.cancel", keys: ["Esc"], title: "Cancel", label: "cancel", weight: 90)
                .performs { self.dismiss() }
        }
    }
}
