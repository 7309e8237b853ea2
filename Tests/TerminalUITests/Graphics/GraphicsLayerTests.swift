import Testing

@testable import TerminalUI

/// Pictures of pixels among cells: what is sent for them, and that nothing shows through.
@MainActor @Suite struct GraphicsLayerTests {
    /// A picture of 16 × 4 cells in the middle, and a word beside it that can change.
    private final class Viewer: ViewController {
        let image = ImageView()
        let word = Label("one")

        override func viewDidLoad() {
            view.addSubview(image)
            view.addSubview(word)
        }

        override func layoutView(in bounds: Rect) {
            var area = bounds
            word.frame = area.takeTop(1)
            image.frame = area
        }
    }

    private final class FullScreen: ViewController {
        override var presentationStyle: PresentationStyle { .fullScreen }
    }

    private final class Pane: ViewController {
        override var presentationStyle: PresentationStyle { .pane }
        override func paneFrame(in bounds: Rect) -> Rect {
            Rect(x: 0, y: 0, width: 2, height: bounds.height)
        }
    }

    private let viewer = Viewer()
    private let harness: Harness
    private var screen: TestScreen { harness.screen }

    init() throws { harness = try Harness(viewer, width: 40, height: 12, depth: .direct) }

    private func cells(_ color: UInt8 = 9, columns: Int = 16) -> ImageCells {
        ImageCells(
            columnCount: columns, rowCount: 4,
            pixels: Array(
                repeating: ImageCells.Pixel(
                    "▀", foreground: .rgb(color, 0, 0), background: .rgb(0, color, 0)),
                count: columns * 4))
    }

    private func graphic(_ id: UInt32, _ text: String, columns: Int = 16, byteCount: Int = 0)
        -> Graphic
    {
        Graphic(
            id: id, screen.pictures.format == .kitty ? .placeholders : .inline,
            size: Size(width: columns, height: 4),
            bytes: Array(text.utf8) + Array(repeating: 0x2E, count: byteCount))
    }

    private func show(_ id: UInt32, _ text: String, byteCount: Int = 0) {
        viewer.image.show(cells(), graphic(id, text, byteCount: byteCount))
        harness.settle()
    }

    /// What went out for pictures since the last look.
    private func sent(_ seen: inout Int) -> String {
        defer { seen = screen.pictureBytes.count }
        return String(decoding: screen.pictureBytes[seen...].flatMap(\.self), as: UTF8.self)
    }

    private var pictureCellCount: Int {
        let (width, height) = (screen.size.width, screen.size.height)
        return (0..<width * height).filter {
            screen.picturePart(column: $0 % width, row: $0 / width) != nil
        }.count
    }

    private nonisolated static let formats = [PictureProtocol.kitty, .sixel, .iterm]

    @Test(arguments: formats) func isSentOnceAndNotAgainWhenNothingHasChanged(
        format: PictureProtocol
    ) {
        screen.setPictures(PictureTerminal(format))
        var seen = 0
        show(7, "PICTURE")
        #expect(sent(&seen).contains("PICTURE"))
        #expect(pictureCellCount == 64)
        viewer.word.text = "two"
        harness.settle()
        #expect(screen.lines[0] == "two")
        #expect(sent(&seen) == "")
        #expect(pictureCellCount == 64)
    }

    @Test func namesEachPartOfAPictureOfKittys() {
        screen.setPictures(PictureTerminal(.kitty))
        show(0x01_02_03, "PICTURE")
        // In the middle of 40 × 10 below the first row.
        #expect(screen.picturePart(column: 12, row: 4) == "0,0")
        #expect(screen.picturePart(column: 27, row: 7) == "3,15")
        #expect(screen.picturePart(column: 28, row: 7) == nil)
        #expect(screen.style(column: 12, row: 4) == Style(foreground: .rgb(1, 2, 3)))
        #expect(Grapheme.placeholder(row: 0, column: 1).text == "\u{10EEEE}\u{305}\u{30D}")
        #expect(Grapheme.placeholder(row: 1, column: 296).text == "\u{10EEEE}\u{30D}\u{1D244}")
        #expect(KittyPlaceholder.limit == 297)
    }

    @Test(arguments: formats) func aBoxOverItIsOverCharacters(format: PictureProtocol) {
        screen.setPictures(PictureTerminal(format))
        var seen = 0
        show(7, "PICTURE")
        _ = sent(&seen)
        let box = AlertController(title: "Box", message: "Words.")
        viewer.present(box)
        harness.settle()
        #expect(pictureCellCount == 0)
        #expect(screen.text.contains("Box"))
        #expect(!sent(&seen).contains("PICTURE"))
        box.dismiss()
        harness.settle()
        #expect(pictureCellCount == 64)
        // kitty has it still; what was drawn over cells is drawn again.
        #expect(sent(&seen).contains("PICTURE") == (format != .kitty))
    }

    @Test(arguments: formats) func whatCoversTheScreenOrASideOfItTakesItAway(
        format: PictureProtocol
    ) {
        screen.setPictures(PictureTerminal(format))
        show(7, "PICTURE")
        for controller in [FullScreen(), Pane()] {
            viewer.present(controller)
            harness.settle()
            #expect(pictureCellCount == 0)
            controller.dismiss()
            harness.settle()
            #expect(pictureCellCount == 64)
        }
    }

    @Test(arguments: formats) func aSiblingThatLiesOverItLeavesTheCharacters(
        format: PictureProtocol
    ) {
        screen.setPictures(PictureTerminal(format))
        show(7, "PICTURE")
        let label = Label("over")
        viewer.view.addSubview(label)
        label.frame = Rect(x: 14, y: 5, width: 6, height: 1)
        harness.settle()
        #expect(screen.text.contains("over"))
        #expect(pictureCellCount == 0)
        label.removeFromSuperview()
        harness.settle()
        #expect(pictureCellCount == 64)
    }

    /// But for one that is made of cells: what can be seen of it is.
    @Test(arguments: formats) func aPictureThatIsCutIsShownInCharacters(format: PictureProtocol) {
        screen.setPictures(PictureTerminal(format))
        show(7, "PICTURE")
        harness.resize(40, 6)
        // Four rows and a word, and the keys: as many as there are.
        #expect(pictureCellCount == 64)
        harness.resize(30, 6)
        #expect(pictureCellCount == 64)
        viewer.image.frame = Rect(x: 0, y: 1, width: 15, height: 4)
        harness.settle()
        #expect(pictureCellCount == (format == .kitty ? 60 : 0))
    }

    @Test(arguments: formats) func afterAChangeOfSizeItIsSentAgain(format: PictureProtocol) {
        screen.setPictures(PictureTerminal(format))
        var seen = 0
        show(7, "PICTURE")
        _ = sent(&seen)
        harness.resize(44, 14)
        #expect(sent(&seen).contains("PICTURE"))
        #expect(pictureCellCount == 64)
    }

    @Test(arguments: formats) func theNextPictureTakesItsPlace(format: PictureProtocol) {
        screen.setPictures(PictureTerminal(format))
        var seen = 0
        show(7, "FIRST")
        show(8, "SECOND")
        #expect(sent(&seen).contains("SECOND"))
        viewer.image.show(nil)
        harness.settle()
        #expect(pictureCellCount == 0)
    }

    @Test func aTerminalThatKeepsPicturesKeepsFew() {
        screen.setPictures(PictureTerminal(.kitty))
        var seen = 0
        let half = GraphicsLayer.keptByteLimit / 2
        for id in 1...5 { show(UInt32(id), "P\(id)", byteCount: half) }
        let text = sent(&seen).replacing(/\.+/, with: "")
        // One in sight, one spare; the third spare one is too much.
        #expect(text.contains("\u{1B}_Ga=d,d=I,i=1,q=2\u{1B}\\"))
        #expect(text.contains("\u{1B}_Ga=d,d=I,i=2,q=2\u{1B}\\"))
        #expect(!text.contains("i=4,q=2") && !text.contains("i=5,q=2"))
        show(4, "P4", byteCount: half)
        #expect(!sent(&seen).contains("P4"))
    }

    @Test func nothingIsLeftInTheTerminalAtTheEnd() {
        for (id, isInsideTmux) in [(7, false), (8, true)] {
            screen.setPictures(PictureTerminal(.kitty, isInsideTmux: isInsideTmux))
            show(UInt32(id), "PICTURE")
            screen.close()
            let last = String(decoding: screen.pictureBytes.last ?? [], as: UTF8.self)
            #expect(
                last
                    == (isInsideTmux
                        ? "\u{1B}Ptmux;\u{1B}\u{1B}_Ga=d,d=I,i=8,q=2\u{1B}\u{1B}\\\u{1B}\\"
                        : "\u{1B}_Ga=d,d=I,i=7,q=2\u{1B}\\"))
        }
    }

    @Test func whatIsDrawnOverCellsStaysAwayFromTheLastRow() throws {
        screen.setPictures(PictureTerminal(.sixel))
        harness.application.configuration.showsFooter = false
        viewer.view.setNeedsLayout()
        harness.resize(40, 5)
        show(7, "PICTURE")
        #expect(pictureCellCount == 0)
    }

    @Test func aPictureMadeForAnotherTerminalIsNotSent() {
        screen.setPictures(PictureTerminal(.kitty))
        let old = graphic(7, "PICTURE")
        screen.setPictures(PictureTerminal(.sixel))
        var seen = 0
        viewer.image.show(cells(), old)
        harness.settle()
        #expect(sent(&seen) == "")
        #expect(pictureCellCount == 0)
    }

    /// Without pixels there are the characters, with the colors there are.
    @Test(arguments: [ColorDepth.monochrome, .sixteen]) func withoutPixelsThereAreCharacters(
        depth: ColorDepth
    ) throws {
        let harness = try Harness(viewer, width: 40, height: 12, depth: depth)
        viewer.image.show(cells(), graphic(7, "PICTURE"))
        harness.settle()
        #expect(
            harness.lines[4] == String(repeating: " ", count: 12)
                + String(repeating: "▀", count: 16))
        #expect(harness.screen.pictureBytes.joined().isEmpty)
    }

    @Test func numbersAreOfTheirOwn() {
        let ids = (0..<1000).map { _ in Graphic.makeID() }
        #expect(Set(ids).count == 1000)
        #expect(ids.allSatisfy { $0 > 0 && $0 <= 0xFF_FFFF })
    }
}
