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

    private func waitForEscape() {
        harness.scheduler.advance(by: harness.application.configuration.escapeDelay)
    }

    @Test(.timeLimit(.minutes(2))) func anEscOfItsOwnIsOneWhenNothingFollows() async throws {
        defer { loop.stop() }
        type("\u{1b}")
        await loop.wait(untilRead: 1)
        #expect(root.recorder.presses.isEmpty)
        waitForEscape()
        #expect(root.recorder.presses == [KeyPress(.escape)])
    }

    /// The program was busy for longer than it waits; meanwhile the rest has come.
    @Test(.timeLimit(.minutes(2))) func aKeyThatIsThereInPartsIsOneHoweverLateItIsRead()
        async
    {
        defer { loop.stop() }
        type("\u{1b}")
        await loop.wait(untilRead: 1)
        type("[A")
        waitForEscape()
        #expect(root.recorder.presses == [KeyPress(.up)])
    }
}

extension InputLoop {
    /// Returns when so many bytes have been read since the beginning; otherwise an issue after a minute.
    func wait(untilRead count: Int, at location: SourceLocation = #_sourceLocation) async {
        let (reads, continuation) = AsyncStream.makeStream(of: Void.self)
        didRead = { continuation.yield() }
        let watch = Task {
            try await Task.sleep(for: .seconds(60))
            continuation.finish()
        }
        defer {
            watch.cancel()
            didRead = nil
        }
        if byteCount >= count { return }
        for await _ in reads where byteCount >= count { return }
        Issue.record("\(byteCount) bytes were read, not \(count)", sourceLocation: location)
    }
}
