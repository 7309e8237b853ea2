import Glibc
import Testing

@testable import TerminalUI

/// Keys that were struck before a box was on the screen, and what they may choose in it.
@MainActor @Suite(.timeLimit(.minutes(2))) struct TypeAheadTests {
    /// `q` asks; `D` in the box discards.
    private final class Root: ViewController {
        let log = Log()
        let canvas = Canvas()
        let field = TextField()
        var isDestructive = true

        override func viewDidLoad() {
            view.addSubview(canvas)
            canvas.addSubview(field)
        }
        override func layoutView(in bounds: Rect) { canvas.frame = bounds }
        override var preferredFirstResponder: View? { canvas }

        override var keyTable: KeyTable {
            KeyTable("Test") {
                KeyCommand("test.ask", keys: ["q"], title: "Ask").performs { self.ask() }
            }
        }

        func ask() {
            present(
                AlertController(
                    title: "Discard?", message: "It is not saved.",
                    actions: [
                        AlertAction("Save", key: "s") { [log] in log.note("saved") },
                        AlertAction(
                            "Discard", key: "D", kind: isDestructive ? .destructive : .default
                        ) { [log] in log.note("discarded") },
                        AlertAction("Stay", key: "k", kind: .cancel) { [log] in log.note("stayed")
                        },
                    ]))
        }
    }

    /// Does something as it is drawn.
    private final class Canvas: View {
        var didDraw: (() -> Void)?
        override var canBecomeFirstResponder: Bool { true }
        override func draw(on surface: Surface) { didDraw?() }
    }

    private let root = Root()
    private let harness: Harness
    private let loop: InputLoop
    private let keyboard: Int32

    init() throws {
        harness = try Harness(root, width: 60, height: 14)
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        keyboard = ends[1]
        loop = InputLoop(
            descriptor: ends[0], decoder: InputDecoder(), application: harness.application)
        harness.application.input = loop
    }

    private func write(_ text: String) {
        #expect(Glibc.write(keyboard, text, text.utf8.count) == text.utf8.count)
    }

    /// Returns when so many bytes have been read, and all is drawn.
    private func type(_ text: String, until count: Int) async {
        write(text)
        await loop.wait(untilRead: count)
        harness.settle()
    }

    private var asks: Bool { harness.lines.contains { $0.contains("Discard?") } }

    @Test func aKeyStruckTogetherWithTheQuestionDiscardsNothing() async {
        defer { loop.stop() }
        await type("qD", until: 2)
        #expect(asks && root.log.entries.isEmpty)
        #expect(harness.footer.contains("Press it again"))
        await type("D", until: 3)
        #expect(!asks && root.log.entries == ["discarded"])
    }

    @Test func aKeyThatComesWhileTheBoxIsDrawnDiscardsNothing() async {
        defer { loop.stop() }
        root.canvas.didDraw = { [root, keyboard] in
            root.canvas.didDraw = nil
            _ = Glibc.write(keyboard, "D", 1)
        }
        await type("q", until: 2)
        #expect(asks && root.log.entries.isEmpty)
        await type("D", until: 3)
        #expect(root.log.entries == ["discarded"])
    }

    @Test func wordsMeantForATextChooseNothing() async {
        defer { loop.stop() }
        await type("q and so on. Do it", until: 18)
        #expect(asks && root.log.entries.isEmpty)
    }

    @Test func aKeyThatFollowsTheBoxAtOnceCounts() async {
        defer { loop.stop() }
        await type("q", until: 1)
        #expect(asks)
        await type("D", until: 2)
        #expect(root.log.entries == ["discarded"])
    }

    @Test func aBoxThatInterruptsWritingIsNotAnsweredByIt() async {
        defer { loop.stop() }
        #expect(root.field.becomeFirstResponder())
        await type("wor", until: 3)
        harness.scheduler.advance(by: TypeAhead.reactionTime - .milliseconds(200))
        root.ask()
        harness.settle()
        for count in 4...6 {
            await type("D", until: count)
            #expect(asks && root.log.entries.isEmpty)
            harness.scheduler.advance(by: TypeAhead.reactionTime - .milliseconds(200))
            harness.settle()
        }
        harness.scheduler.advance(by: TypeAhead.reactionTime)
        harness.settle()
        await type("D", until: 7)
        #expect(!asks && root.log.entries == ["discarded"])
    }

    /// After a pause, after a command, and without a text: a dialog is answered at once.
    @Test(arguments: ["wor", "wor\u{13}", ""])
    func aBoxThatInterruptsNobodyIsAnsweredAtOnce(typed: String) async {
        defer { loop.stop() }
        #expect(root.field.becomeFirstResponder())
        if !typed.isEmpty { await type(typed, until: typed.utf8.count) }
        if typed == "wor" { harness.scheduler.advance(by: TypeAhead.reactionTime) }
        root.ask()
        harness.settle()
        await type("D", until: typed.utf8.count + 1)
        #expect(!asks && root.log.entries == ["discarded"])
    }

    /// Who has stopped writing may answer with the mouse as well.
    @Test func theMouseAnswersAfterAPause() async {
        defer { loop.stop() }
        #expect(root.field.becomeFirstResponder())
        await type("wor", until: 3)
        root.ask()
        harness.settle()
        harness.scheduler.advance(by: TypeAhead.reactionTime)
        harness.settle()
        let button = harness.lines.enumerated().compactMap { row, line in
            line.firstRange(of: "Discard ").map {
                (x: line.distance(from: line.startIndex, to: $0.lowerBound), y: row)
            }
        }.last
        guard let (x, row) = button else { return _ = Issue.record("no button") }
        let press = "\u{1b}[<0;\(x + 2);\(row + 1)M"
        let release = "\u{1b}[<0;\(x + 2);\(row + 1)m"
        await type(press + release, until: 3 + press.utf8.count + release.utf8.count)
        #expect(!asks && root.log.entries == ["discarded"])
    }

    @Test func whoIsInterruptedMayLeaveAtOnce() async {
        defer { loop.stop() }
        #expect(root.field.becomeFirstResponder())
        await type("wor", until: 3)
        root.ask()
        harness.settle()
        // Not even the way out by a letter: who writes has not seen the box.
        await type("k ", until: 5)
        #expect(asks && root.log.entries.isEmpty)
        await type("\u{1b}", until: 6)
        harness.scheduler.advance(by: harness.application.configuration.escapeDelay)
        harness.settle()
        #expect(!asks && root.log.entries == ["stayed"])
    }

    @Test func theWayOutMayBeTypedAhead() async {
        defer { loop.stop() }
        await type("qk", until: 2)
        #expect(!asks && root.log.entries == ["stayed"])
        await type("q\u{1b}", until: 4)
        harness.scheduler.advance(by: harness.application.configuration.escapeDelay)
        harness.settle()
        #expect(!asks && root.log.entries == ["stayed", "stayed"])
    }

    @Test func aBoxThatDiscardsNothingMayBeAnsweredAhead() async {
        defer { loop.stop() }
        root.isDestructive = false
        await type("qD", until: 2)
        #expect(!asks && root.log.entries == ["discarded"])
    }
}
