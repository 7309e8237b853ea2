@testable import TerminalUI

/// An application on a screen in memory, whose clock only moves when told to.
@MainActor
struct Harness {
    let screen: TestScreen
    let scheduler = ManualScheduler()
    let application: Application

    init(
        _ root: ViewController, width: Int = 40, height: Int = 10,
        depth: ColorDepth = .palette, bindings: KeyBindings = KeyBindings()
    ) throws {
        screen = TestScreen(size: Size(width: width, height: height), colorDepth: depth)
        var configuration = Application.Configuration()
        configuration.bindings = bindings
        application = Application(
            screen: screen, configuration: configuration, scheduler: scheduler)
        try application.start(root: root)
        settle()
    }

    func press(_ keys: KeySequence...) {
        for key in keys { application.press(key) }
        settle()
    }

    func type(_ text: String) {
        application.type(text)
        settle()
    }

    func click(_ x: Int, _ y: Int) {
        application.handle(
            .mouse(MouseEvent(.press, button: .left, at: Point(x: x, y: y))))
        settle()
    }

    func resize(_ width: Int, _ height: Int) {
        screen.setSize(Size(width: width, height: height))
        application.sizeMayHaveChanged()
        settle()
    }

    func settle() {
        scheduler.advance(by: .milliseconds(20))
    }

    var lines: [String] { screen.lines }
    var footer: String { screen.lines.last ?? "" }
}

/// Remembers what happened, in order.
@MainActor
final class Log {
    private(set) var entries: [String] = []
    func note(_ entry: String) { entries.append(entry) }
}

/// A field that writes what it gets.
final class PlainField: View {
    var text = ""

    override var canBecomeFirstResponder: Bool { true }

    override var acceptsText: Bool { true }

    override func keyDown(_ press: KeyPress) -> Bool {
        guard let character = press.text else { return false }
        text += character
        setNeedsDisplay()
        return true
    }

    override func paste(_ text: String) -> Bool {
        self.text += text
        setNeedsDisplay()
        return true
    }

    override func draw(on surface: Surface) { surface.draw(text, at: .zero) }

    override var cursorPosition: Point? { Point(x: Surface.columnCount(of: text), y: 0) }
}

/// A list of words.
final class WordsController: ViewController, ListViewDataSource, ListViewDelegate {
    let list = ListView()
    let log: Log
    var words: [String]
    /// Behind each word.
    var mark: TextLine?

    init(_ words: [String], title: String = "Words", log: Log? = nil) {
        self.words = words
        self.log = log ?? Log()
        super.init()
        self.title = title
    }

    override func viewDidLoad() {
        list.dataSource = self
        list.delegate = self
        list.emptyText = TextLine("Nothing here yet", .secondary)
        view.addSubview(Panel(TextLine(title), content: list))
        list.reloadData()
    }

    override func layoutView(in bounds: Rect) { view.subviews[0].frame = bounds }

    override func viewWillAppear() { log.note("\(title) will appear") }
    override func viewDidAppear() { log.note("\(title) did appear") }
    override func viewDidDisappear() { log.note("\(title) did disappear") }

    static let new = KeyCommand(
        "words.new", keys: ["n", "+"], title: "New word", label: "new", weight: 90)
    static let delete = KeyCommand(
        "words.delete", keys: ["d"], title: "Delete the word", label: "delete", weight: 60)

    override var keyTable: KeyTable {
        KeyTable(title) {
            Self.new.performs { self.log.note("new") }
            Self.delete.performs(unless: words.isEmpty ? "There is no word to delete." : nil) {
                self.log.note("delete")
            }
        }
    }

    func numberOfRows(in list: ListView) -> Int { words.count }

    func listView(_ list: ListView, rowAt index: Int) -> ListRow {
        ListRow(
            TextLine(words[index]), mark: mark,
            columns: [.init("\(words[index].count)", width: 3)])
    }

    func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable { words[index] }

    func listView(_ list: ListView, didActivateRowAt index: Int) {
        log.note("open \(words[index])")
    }

    func listViewDidChangeSelection(_ list: ListView) {
        log.note("select \(list.selectedIndex.map { words[$0] } ?? "nothing")")
    }
}
