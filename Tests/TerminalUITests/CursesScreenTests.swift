import Dispatch
import Glibc
import Synchronization
import Testing

@testable import TerminalUI

/// The real screen on a pseudo-terminal, byte for byte.
@MainActor
@Suite(.serialized) struct CursesScreenTests {
    @Test func drawsOnlyWhatHasChangedAndGivesTheTerminalBack() throws {
        setenv("TERM", "xterm-256color", 1)
        setenv("LC_ALL", "C.UTF-8", 1)
        unsetenv("NO_COLOR")
        unsetenv("COLORTERM")
        let terminal = try #require(PseudoTerminal(columns: 40, rows: 10))
        defer { terminal.close() }
        let before = terminal.modes
        var options = CursesScreen.Options()
        options.inputDescriptor = terminal.inner
        options.outputDescriptor = terminal.inner
        let screen = CursesScreen(options: options)
        try screen.open()
        #expect(screen.size == Size(width: 40, height: 10))
        #expect(screen.colorDepth == .palette)
        #expect(screen.keySequences[Array("\u{1B}OA".utf8)] == KeyPress(.up))

        let surface = Surface(size: screen.size)
        surface.draw("hello", at: Point(x: 1, y: 1))
        screen.present(surface, cursor: Point(x: 6, y: 1))
        let first = terminal.readText()
        #expect(first.contains("\u{1B}[?1049h"))
        #expect(first.contains("\u{1B}[?2004h"))
        #expect(first.contains("hello"))

        // The same frame again: nothing.
        screen.present(surface, cursor: Point(x: 6, y: 1))
        #expect(terminal.readText() == "")

        // A character typed at the cursor: itself.
        surface.draw("!", at: Point(x: 6, y: 1))
        screen.present(surface, cursor: Point(x: 7, y: 1))
        #expect(terminal.readText() == "!")

        // A family of emoji stands where it should whatever the terminal thinks of its width.
        surface.clear()
        surface.draw("a👨‍👩‍👧b", at: Point(x: 0, y: 3))
        screen.present(surface, cursor: nil)
        let family = terminal.readText()
        #expect(family.contains("\u{1B}[4;2H\u{1B}(B\u{1B}[m👨‍👩‍👧\u{1B}[4;4Hb"))
        #expect(family.contains("\u{1B}7") && family.contains("\u{1B}8"))

        // Its first scalar alone, which ncurses holds already, replaces it.
        surface.clear()
        surface.draw("a👨b", at: Point(x: 0, y: 3))
        screen.present(surface, cursor: nil)
        #expect(terminal.readText().contains("a👨b"))

        // Hundreds of pairs of colors.
        surface.fill(surface.bounds)
        for index in 0..<400 {
            let style = Style(
                foreground: .palette(UInt8(index % 256)), background: .palette(UInt8(index / 2)))
            surface.put(Cell("x", style: style), at: Point(x: index % 40, y: index / 40))
        }
        screen.present(surface, cursor: nil)
        #expect(terminal.readText().contains("x"))

        screen.close()
        let last = terminal.readText()
        for mode in [1000, 1002, 1006, 1049, 2004] { #expect(last.contains("\u{1B}[?\(mode)l")) }
        #expect(last.contains("\u{1B}[?25h"))
        #expect(terminal.modes == before)

        // And once more, as after ^Z.
        try screen.open()
        surface.clear()
        surface.draw("again", at: .zero)
        screen.present(surface, cursor: nil)
        #expect(terminal.readText().contains("again"))
        terminal.setSize(columns: 30, rows: 8)
        #expect(screen.updateSize() == .changed)
        #expect(screen.size == Size(width: 30, height: 8))
        screen.present(Surface(size: screen.size), cursor: nil)
        screen.close()
        #expect(terminal.modes == before)
    }

    /// A terminal that says it is kitty gets pixels, placed by characters, and none stay behind.
    @Test func placesPixelsOnATerminalThatSaysItCan() throws {
        setenv("TERM", "xterm-256color", 1)
        setenv("LC_ALL", "C.UTF-8", 1)
        for name in ["NO_COLOR", "COLORTERM", "TMUX", "TERM_PROGRAM", "LC_TERMINAL"] {
            unsetenv(name)
        }
        let terminal = try #require(PseudoTerminal(columns: 40, rows: 10))
        defer { terminal.close() }
        var options = CursesScreen.Options()
        options.inputDescriptor = terminal.inner
        options.outputDescriptor = terminal.inner
        let screen = CursesScreen(options: options)
        try screen.open()
        #expect(terminal.readText().contains("\u{1B}[>q\u{1B}[16t\u{1B}[14t\u{1B}[c"))
        #expect(screen.pictures.format == .blocks && screen.colorDepth == .palette)
        #expect(screen.awaitsReplies)

        #expect(screen.receive(.attributes([62])) == .none)
        #expect(terminal.readText().contains("\u{1B}_Gi=31"))
        #expect(screen.receive(.graphics(id: 31, isOK: true)) == .changed)
        #expect(screen.receive(.attributes([62])) == .none)
        #expect(screen.pictures.format == .kitty && screen.colorDepth == .direct)
        #expect(!screen.awaitsReplies)
        let cell = try #require(CellPixels(width: 9, height: 18))
        #expect(screen.receive(.cellPixels(cell)) == .changed)
        #expect(screen.pictures.cellPixels == cell)

        let surface = Surface(size: screen.size)
        func draw(_ word: String) {
            surface.clear()
            surface.draw(word, at: .zero)
            surface.fill(
                Rect(x: 2, y: 2, width: 14, height: 3), style: Style(background: .rgb(9, 9, 9)))
            surface.place(
                Graphic(
                    id: 0x0A_0B_0C, .placeholders, size: Size(width: 14, height: 3),
                    bytes: Array("<PIXELS>".utf8)), at: Point(x: 2, y: 2))
            screen.present(surface, cursor: nil)
        }
        draw("one")
        let first = terminal.readText()
        #expect(first.contains("<PIXELS>"))
        #expect(first.contains("38;2;10;11;12"))
        #expect(first.contains("\u{10EEEE}\u{305}\u{305}\u{10EEEE}\u{305}\u{30D}"))
        draw("two")
        let second = terminal.readText()
        #expect(second.contains("two"))
        #expect(!second.contains("<PIXELS>") && !second.contains("\u{10EEEE}"))

        // Words over it: the cells are all there is to change.
        surface.clear()
        surface.draw("words in its place", at: Point(x: 0, y: 3))
        screen.present(surface, cursor: nil)
        #expect(terminal.readText().contains("words in its place"))

        screen.close()
        #expect(terminal.readText().contains("\u{1B}_Ga=d,d=I,i=658188,q=2\u{1B}\\"))
    }

    /// A terminal that answers late, with rubbish, twice, or never.
    @Test func theBackgroundIsAskedForAndNeverWaitedFor() throws {
        setenv("TERM", "xterm-256color", 1)
        setenv("LC_ALL", "C.UTF-8", 1)
        for name in ["NO_COLOR", "COLORTERM", "TMUX"] { unsetenv(name) }
        let terminal = try #require(PseudoTerminal(columns: 40, rows: 10))
        defer { terminal.close() }
        var options = CursesScreen.Options()
        options.inputDescriptor = terminal.inner
        options.outputDescriptor = terminal.inner
        let screen = CursesScreen(options: options)
        try screen.open()
        #expect(!terminal.readText().contains("]11;?"))
        #expect(screen.background == nil)
        #expect(screen.receive(.attributes([62])) == .none)
        #expect(terminal.readText().contains("\u{1B}]11;?\u{1B}\\"))
        #expect(screen.receive(.operatingSystem(code: 11, text: "rubbish")) == .none)
        #expect(screen.background == nil)
        let light = TerminalReply.operatingSystem(code: 11, text: "rgb:ffff/ffff/ffff")
        #expect(screen.receive(light) == .changedBackground)
        #expect(screen.receive(light) == .none)
        #expect(screen.receive(.attributes([62])) == .none)
        #expect(!screen.awaitsReplies)
        // Nobody waits for it any more; the terminal of now counts all the same.
        let dark = TerminalReply.operatingSystem(code: 11, text: "rgb:0000/0000/0000")
        #expect(screen.receive(dark) == .changedBackground)
        #expect(screen.background == .dark)
        screen.close()
        #expect(screen.receive(light) == .none)
    }

    /// A terminal that takes nothing, with a picture of a megabyte on its way to it.
    @Test func aLargePictureIsWrittenInTheBackgroundAndCutShortOnceItIsGone() async throws {
        setenv("TERM", "xterm-256color", 1)
        setenv("LC_ALL", "C.UTF-8", 1)
        for name in ["NO_COLOR", "COLORTERM", "TMUX"] { unsetenv(name) }
        let terminal = try #require(PseudoTerminal(columns: 40, rows: 10))
        defer { terminal.close() }
        var options = CursesScreen.Options()
        options.inputDescriptor = terminal.inner
        options.outputDescriptor = terminal.inner
        options.pictures = .sixel
        let screen = CursesScreen(options: options)
        try screen.open()
        let pixels = Array("\u{1B}Pq".utf8) + [UInt8](repeating: 0x7E, count: 1 << 20)
        let picture = Graphic(
            id: 6, .inline, size: Size(width: 14, height: 3), bytes: pixels + [0x1B, 0x5C])
        let surface = Surface(size: screen.size)
        func draw(_ word: String, hasPicture: Bool) {
            surface.clear()
            surface.draw(word, at: Point(x: 20, y: 2))
            if hasPicture { surface.place(picture, at: Point(x: 2, y: 2)) }
        }
        /// Reads like a terminal until all is written.
        func drain() async -> String {
            let reader = TerminalReader(terminal.outer)
            await withCheckedContinuation { done in
                screen.didBecomeReady = { done.resume() }
            }
            screen.didBecomeReady = nil
            reader.stop()
            return await reader.text() + terminal.readText()
        }
        _ = terminal.readText()
        draw("one", hasPicture: true)
        #expect(screen.makeReady(for: surface) == .ready)
        // Nobody reads, and it returns.
        screen.present(surface, cursor: nil)
        #expect(screen.isWriting)
        // The picture has begun, and nobody reads on.
        let beginning = await TerminalReader(terminal.outer, byteCount: 3000).text()
        // The same picture in another frame: both wait.
        draw("two", hasPicture: true)
        #expect(screen.makeReady(for: surface) == .busy)
        // Gone: what is left of it is not sent.
        draw("three", hasPicture: false)
        #expect(screen.makeReady(for: surface) == .busy)
        let sent = beginning + (await drain())
        #expect(sent.utf8.count < 200_000)
        #expect(sent.contains("one") && sent.contains("~\u{1B}\\"))
        #expect(sent.hasSuffix("\u{1B}[?2026l"))
        #expect(screen.makeReady(for: surface) == .ready)
        screen.present(surface, cursor: nil)
        #expect(terminal.readText().contains("three"))
        // Wanted once more, it is sent from its beginning, and arrives whole.
        draw("four", hasPicture: true)
        screen.present(surface, cursor: nil)
        let whole = await drain()
        #expect(whole.utf8.count > 1 << 20)
        #expect(whole.contains("four"))
        #expect((screen.pictureRate ?? 0) > 0)
        // Who quits meanwhile does not wait either.
        screen.invalidate()
        draw("five", hasPicture: true)
        screen.present(surface, cursor: nil)
        #expect(screen.isWriting)
        let closing = Task.detached { [outer = terminal.outer] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            var count = 0
            while !Task.isCancelled {
                let read = Glibc.read(outer, &buffer, buffer.count)
                if read > 0 { count += read }
            }
            return count
        }
        screen.close()
        closing.cancel()
        #expect(await closing.value < 200_000)
    }

    /// A blank in the right half of a wide character would erase it.
    @Test func wideCharactersOfAnyColorAreWhole() throws {
        setenv("TERM", "xterm-256color", 1)
        setenv("LC_ALL", "C.UTF-8", 1)
        setenv("COLORTERM", "truecolor", 1)
        defer { unsetenv("COLORTERM") }
        for name in ["NO_COLOR", "TMUX"] { unsetenv(name) }
        let terminal = try #require(PseudoTerminal(columns: 40, rows: 10))
        defer { terminal.close() }
        var options = CursesScreen.Options()
        options.inputDescriptor = terminal.inner
        options.outputDescriptor = terminal.inner
        let screen = CursesScreen(options: options)
        try screen.open()
        let surface = Surface(size: screen.size)
        let style = Style(foreground: .rgb(208, 208, 208), background: .rgb(0, 95, 135))
        _ = surface.draw("漢字 😀x", at: Point(x: 2, y: 2), style: style)
        screen.present(surface, cursor: nil)
        let text = terminal.readText()
        #expect(text.contains("漢字 "), "\(text.debugDescription)")
        #expect(text.contains("😀x") || text.contains("😀\u{1B}"), "\(text.debugDescription)")
        // What was behind it is gone when it goes.
        surface.clear()
        screen.present(surface, cursor: nil)
        #expect(!terminal.readText().isEmpty)
        screen.close()
    }

    @Test func drawsSixelsOverCellsAndAgainWhenTheyWereWrittenOver() throws {
        setenv("TERM", "xterm-256color", 1)
        setenv("LC_ALL", "C.UTF-8", 1)
        for name in ["NO_COLOR", "COLORTERM", "TMUX"] { unsetenv(name) }
        let terminal = try #require(PseudoTerminal(columns: 40, rows: 10))
        defer { terminal.close() }
        var options = CursesScreen.Options()
        options.inputDescriptor = terminal.inner
        options.outputDescriptor = terminal.inner
        options.pictures = .sixel
        let screen = CursesScreen(options: options)
        try screen.open()
        let surface = Surface(size: screen.size)
        func draw(_ word: String, hasPicture: Bool = true) -> String {
            surface.clear()
            surface.draw(word, at: Point(x: 20, y: 2))
            if hasPicture {
                surface.place(
                    Graphic(
                        id: 5, .inline, size: Size(width: 14, height: 3),
                        bytes: Array("<SIXELS>".utf8)), at: Point(x: 2, y: 2))
            }
            screen.present(surface, cursor: nil)
            return terminal.readText()
        }
        #expect(draw("one").contains("\u{1B}[3;3H<SIXELS>"))
        #expect(!draw("two").contains("<SIXELS>"))
        // A word that makes ncurses write all of its row again.
        _ = draw("👨‍👩‍👧")
        #expect(draw("x").contains("<SIXELS>"))
        // What takes its place is written whole: blanks over each of its cells.
        let gone = draw("x", hasPicture: false)
        #expect(!gone.contains("<SIXELS>"))
        #expect(!gone.isEmpty)
        screen.close()
        _ = terminal.readText()
    }

    /// Answers under way when the screen is given back are not for the next reader.
    @Test func takesAnswersThatComeAtTheEnd() throws {
        setenv("TERM", "xterm-256color", 1)
        let terminal = try #require(PseudoTerminal(columns: 40, rows: 10))
        defer { terminal.close() }
        var options = CursesScreen.Options()
        options.inputDescriptor = terminal.inner
        options.outputDescriptor = terminal.inner
        let screen = CursesScreen(options: options)
        try screen.open()
        let answer = "\u{1B}P>|xterm(388)\u{1B}\\\u{1B}[?64;4c"
        _ = write(terminal.outer, answer, answer.utf8.count)
        screen.close()
        var request = pollfd(fd: terminal.inner, events: Int16(POLLIN), revents: 0)
        #expect(poll(&request, 1, 0) == 0)
    }

    @Test func withoutATerminalItSaysSo() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        var options = CursesScreen.Options()
        options.inputDescriptor = ends[0]
        options.outputDescriptor = ends[1]
        let error = try #require(throws: TerminalError.self) {
            try CursesScreen(options: options).open()
        }
        #expect(error.code == .notATerminal)
        #expect(error.description.hasSuffix("."))
    }
}

/// Both ends of a pseudo-terminal.
private struct PseudoTerminal {
    let outer: Int32
    let inner: Int32

    init?(columns: Int, rows: Int) {
        outer = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
        guard outer >= 0 else { return nil }
        var number: Int32 = -1
        var lock: Int32 = 0
        // TIOCSPTLCK and TIOCGPTN, which do not cross into Swift.
        guard ioctl(outer, 0x4004_5431, &lock) == 0, ioctl(outer, 0x8004_5430, &number) == 0 else {
            return nil
        }
        inner = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        guard inner >= 0 else { return nil }
        setSize(columns: columns, rows: rows)
    }

    func setSize(columns: Int, rows: Int) {
        // A struct winsize: rows, columns and two numbers nobody needs.
        var size: [UInt16] = [UInt16(rows), UInt16(columns), 0, 0]
        _ = ioctl(inner, UInt(TIOCSWINSZ), &size)
    }

    /// What decides how the line behaves.
    var modes: [UInt32] {
        var modes = termios()
        tcgetattr(inner, &modes)
        return [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag]
    }

    /// What was written since the last time.
    func readText() -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(outer, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func close() {
        Glibc.close(inner)
        Glibc.close(outer)
    }
}

/// Reads what is written to a pseudo-terminal, on a queue of its own.
private final class TerminalReader: Sendable {
    private let pieces: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation
    private let queue = DispatchQueue(label: "terminal reader")

    /// - Parameter byteCount: It ends after so many bytes or a few more; otherwise when it is stopped.
    init(_ outer: Int32, byteCount: Int = .max) {
        (pieces, continuation) = AsyncStream.makeStream()
        // Any thread may cancel it.
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(
            fileDescriptor: outer, queue: queue)
        let remaining = Mutex(byteCount)
        source.setEventHandler { @Sendable [continuation] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(outer, &buffer, buffer.count)
            guard count > 0 else { return }
            continuation.yield(Array(buffer[..<count]))
            let isEnough = remaining.withLock { remaining in
                remaining -= count
                return remaining <= 0
            }
            if isEnough { continuation.finish() }
        }
        continuation.onTermination = { @Sendable _ in source.cancel() }
        source.activate()
    }

    func stop() { queue.sync { continuation.finish() } }

    /// All that it has read, once it has ended.
    func text() async -> String {
        var bytes: [UInt8] = []
        for await piece in pieces { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }
}
