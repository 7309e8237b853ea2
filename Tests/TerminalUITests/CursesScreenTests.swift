import Glibc
import Testing

@testable import TerminalUI

/// The real screen on a pseudo-terminal, byte for byte.
@MainActor
@Suite(.serialized) struct CursesScreenTests {
    @Test func drawsOnlyWhatHasChangedAndGivesTheTerminalBack() throws {
        let open = try OpenScreen()
        defer { open.close() }
        let (screen, terminal) = (open.screen, open.terminal)
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
        #expect(terminal.modes == open.modesBefore)

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
        #expect(terminal.modes == open.modesBefore)
    }

    /// A blank in the right half of a wide character would erase it.
    @Test func wideCharactersOfAnyColorAreWhole() throws {
        let open = try OpenScreen(colors: "truecolor")
        defer { open.close() }
        let (screen, terminal) = (open.screen, open.terminal)
        let surface = Surface(size: screen.size)
        let style = Style(foreground: .rgb(208, 208, 208), background: .rgb(0, 95, 135))
        _ = surface.draw("漢字 😀x", at: Point(x: 2, y: 2), style: style)
        screen.present(surface, cursor: nil)
        let text = terminal.readText()
        #expect(text.contains("漢字 😀x"), "\(text.debugDescription)")
        // What was behind it is gone when it goes.
        surface.clear()
        screen.present(surface, cursor: nil)
        #expect(!terminal.readText().isEmpty)
        screen.close()
    }

    /// A terminal that answers late, with rubbish, twice, or never.
    @Test func theBackgroundIsAskedForAndNeverWaitedFor() throws {
        let open = try OpenScreen()
        defer { open.close() }
        let (screen, terminal) = (open.screen, open.terminal)
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

    /// Answers under way when the screen is given back are not for the next reader.
    @Test func takesAnswersThatComeAtTheEnd() throws {
        let open = try OpenScreen()
        defer { open.close() }
        let (screen, terminal) = (open.screen, open.terminal)
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
