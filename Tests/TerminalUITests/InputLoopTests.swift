import Glibc
import Testing

@testable import TerminalUI

@MainActor
struct InputLoopTests {
    private final class Recorder: View {
        var presses: [KeyPress] = []

        override var canBecomeFirstResponder: Bool { true }

        override func keyDown(_ press: KeyPress) -> Bool {
            presses.append(press)
            return true
        }
    }

    private final class Root: ViewController {
        let recorder = Recorder()

        override func viewDidLoad() { view.addSubview(recorder) }
    }

    private let root = Root()
    private let harness: Harness
    private let loop: InputLoop
    private let keyboard: Int32

    init() throws {
        harness = try Harness(root)
        #expect(root.recorder.becomeFirstResponder())
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        keyboard = ends[1]
        loop = InputLoop(
            descriptor: ends[0], decoder: InputDecoder(), application: harness.application)
    }

    private func type(_ text: String) {
        #expect(write(keyboard, text, text.utf8.count) == text.utf8.count)
    }

    private func whenRead(_ count: Int) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while loop.byteCount < count {
            try #require(.now < deadline)
            await Task.yield()
        }
    }

    private func waitForEscape() {
        harness.scheduler.advance(by: harness.application.configuration.escapeDelay)
    }

    @Test(.timeLimit(.minutes(2))) func anEscOfItsOwnIsOneWhenNothingFollows() async throws {
        defer { loop.stop() }
        type("\u{1b}")
        try await whenRead(1)
        #expect(root.recorder.presses.isEmpty)
        waitForEscape()
        #expect(root.recorder.presses == [KeyPress(.escape)])
    }

    /// The program was busy for longer than it waits; meanwhile the rest has come.
    @Test(.timeLimit(.minutes(2))) func aKeyThatIsThereInPartsIsOneHoweverLateItIsRead()
        async throws
    {
        defer { loop.stop() }
        type("\u{1b}")
        try await whenRead(1)
        type("[A")
        waitForEscape()
        #expect(root.recorder.presses == [KeyPress(.up)])
    }
}
