import Testing

@testable import TerminalUI

/// Pictures among the cells, and on their way to a slow terminal.
extension CursesScreenTests {
    /// A terminal that says it is kitty gets pixels, placed by characters, and none stay behind.
    @Test func placesPixelsOnATerminalThatSaysItCan() throws {
        let open = try OpenScreen()
        defer { open.close() }
        let (screen, terminal) = (open.screen, open.terminal)
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

    /// A terminal that takes nothing, with a picture of a megabyte on its way to it.
    @Test func aLargePictureIsWrittenInTheBackgroundAndCutShortOnceItIsGone() async throws {
        let open = try OpenScreen(pictures: .sixel)
        defer { open.close() }
        let (screen, terminal) = (open.screen, open.terminal)
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
        let reader = TerminalReader(terminal.outer)
        screen.close()
        reader.stop()
        let rest = await reader.text() + terminal.readText()
        #expect(rest.utf8.count < 200_000)
    }

    @Test func drawsSixelsOverCellsAndAgainWhenTheyWereWrittenOver() throws {
        let open = try OpenScreen(pictures: .sixel)
        defer { open.close() }
        let (screen, terminal) = (open.screen, open.terminal)
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
}
