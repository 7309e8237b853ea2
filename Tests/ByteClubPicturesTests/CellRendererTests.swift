import Testing

@testable import ByteClubPictures

@Suite struct CellRendererTests {
    private let halfBlocks = CellRenderer(style: .halfBlocks)

    @Test func putsTwoPixelsIntoACell() throws {
        let image = try #require(picture("RG", "BB", "KW", "KW"))
        let cells = halfBlocks.render(image, fitting: CellSize(columns: 2, rows: 2))
        #expect(
            cells.text == """
                ▀▀
                  
                """)
        #expect(cells[0, 0] == .init(glyph: "▀", foreground: .red, background: .blue))
        #expect(cells[1, 0] == .init(glyph: "▀", foreground: .green, background: .blue))
        // Equal halves need no glyph.
        #expect(cells[0, 1] == .init(glyph: " ", background: .black))
        #expect(cells[1, 1] == .init(glyph: " ", background: .white))
    }

    @Test func leavesTheRestOfTheLastRowToTheTerminal() throws {
        let image = try #require(picture("RRRR", "RRRR", "GGGG"))
        let cells = halfBlocks.render(image, fitting: CellSize(columns: 4, rows: 9))
        #expect(cells.size == CellSize(columns: 4, rows: 2))
        #expect(cells[0, 0] == .init(glyph: " ", background: .red))
        #expect(cells[3, 1] == .init(glyph: "▀", foreground: .green))
    }

    @Test(arguments: [
        // A panorama of 6:1 is limited by the width; a cell is twice as high as wide.
        (CellSize(columns: 60, rows: 20), CellSize(columns: 60, rows: 5)),
        (CellSize(columns: 30, rows: 5), CellSize(columns: 30, rows: 3)),
        (CellSize(columns: 160, rows: 2), CellSize(columns: 24, rows: 2)),
        (CellSize(columns: 1, rows: 1), CellSize(columns: 1, rows: 1)),
        (CellSize(columns: 0, rows: 7), CellSize(columns: 0, rows: 7)),
        (CellSize(columns: -3, rows: 7), CellSize(columns: 0, rows: 7)),
    ])
    func fitsAPanoramaIntoABox(box: CellSize, expected: CellSize) {
        let panorama = PixelImage(size: PixelSize(width: 600, height: 100), filledWith: .white)
        for style: CellRenderer.Style in [.halfBlocks, .symbols, .characters(onDark: true)] {
            let renderer = CellRenderer(style: style)
            let cells = renderer.render(panorama, fitting: box)
            #expect(cells.size == renderer.size(of: panorama.size, fitting: box))
            #expect(cells.cells.count == cells.size.columns * cells.size.rows)
            if style != .characters(onDark: true) {
                #expect(cells.size == expected, "\(style)")
            }
        }
    }

    @Test func keepsTheShapeWithOtherCells() {
        let square = PixelImage(size: PixelSize(width: 100, height: 100), filledWith: .white)
        let box = CellSize(columns: 40, rows: 20)
        #expect(
            CellRenderer(style: .halfBlocks, cellAspect: 0.5).render(square, fitting: box).size
                == CellSize(columns: 40, rows: 20))
        #expect(
            CellRenderer(style: .halfBlocks, cellAspect: 0.4).render(square, fitting: box).size
                == CellSize(columns: 40, rows: 16))
        #expect(CellRenderer(style: .halfBlocks, cellAspect: 0).cellAspect == 0.5)
    }

    @Test func drawsWithCharactersWhereThereAreNoColours() throws {
        let image = try #require(picture("KKDDLLWW", "KKDDLLWW", "KKDDLLWW", "KKDDLLWW"))
        let box = CellSize(columns: 8, rows: 2)
        let dark = CellRenderer(style: .characters(onDark: true)).render(image, fitting: box)
        #expect(dark.text == "  --**@@\n  --**@@")
        let light = CellRenderer(style: .characters(onDark: false)).render(image, fitting: box)
        #expect(light.text == "@@**--  \n@@**--  ")
        #expect(dark.cells.allSatisfy { $0.foreground == nil && $0.background == nil })
    }

    @Test func followsEdgesWithSymbols() throws {
        // A picture whose left third is red: no half block can show that, an eighth can.
        var image = PixelImage(size: PixelSize(width: 32, height: 16), filledWith: .white)
        for y in 0..<16 { for x in 0..<10 { image[x, y] = .init(red: 255, green: 0, blue: 0) } }
        let cells = CellRenderer(style: .symbols).render(
            image, fitting: CellSize(columns: 4, rows: 1))
        #expect(cells.size == CellSize(columns: 4, rows: 1))
        // Two of the second cell's eight columns are red.
        #expect(cells[1, 0] == .init(glyph: "▎", foreground: .red, background: .white))
        #expect(cells[3, 0].background == .white || cells[3, 0].foreground == .white)
    }

    @Test func usesOnlyGlyphsThatEveryFontHas() {
        var image = PixelImage(size: PixelSize(width: 320, height: 160))
        for y in 0..<160 {
            for x in 0..<320 {
                let value = UInt8(truncatingIfNeeded: (x &* 73 ^ y &* 151) &* 37)
                image[x, y] = .init(red: value, green: value &* 3, blue: value &* 7)
            }
        }
        let cells = CellRenderer(style: .symbols).render(
            image, fitting: CellSize(columns: 40, rows: 10))
        for cell in cells.cells {
            #expect(cell.glyph == " " || (0x2580...0x259F).contains(cell.glyph.value))
            #expect(!(0x2591...0x2593).contains(cell.glyph.value), "no shades")
        }
    }

    @Test func showsThroughAViewport() throws {
        let image = try #require(picture("RRGGBBWW", "RRGGBBWW"))
        var viewport = PanoramaViewport(wraps: true)
        let box = CellSize(columns: 4, rows: 1)
        func colors() -> [CellImage.Color?] {
            halfBlocks.render(image, through: viewport, filling: box).cells.map(\.background)
        }
        #expect(colors() == [.green, .green, .blue, .blue])
        viewport.turn(by: 0.5)
        #expect(colors() == [.white, .white, .red, .red])
        viewport.turn(by: 0.25)
        #expect(colors() == [.red, .red, .green, .green])
    }

    /// A picture of small colored squares, so that each cell has a reason of its own for its glyph.
    private func patchwork(_ size: PixelSize) -> PixelImage {
        var image = PixelImage(size: size)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let value = UInt8(truncatingIfNeeded: (x / 5 &* 73 ^ y / 5 &* 151) &* 37)
                image[x, y] = .init(
                    red: value, green: value &* 3, blue: 255 - value, alpha: 255)
            }
        }
        return image
    }

    /// What of each cell of a row the picture covers: `#` all, `^` its upper half, `v` its lower, `.` nothing,
    /// `?` something else.
    private func coverage(_ cells: CellImage, _ row: Int) -> String {
        String(
            (0..<cells.size.columns).map { column -> Character in
                let cell = cells[column, row]
                switch (cell.glyph, cell.foreground, cell.background) {
                case ("▀", _?, nil): return "^"
                case ("▄", _?, nil): return "v"
                case (" ", _, nil): return "."
                case (_, _, _?): return "#"
                case ("█", _?, nil): return "#"
                default: return "?"
                }
            })
    }

    @Test(
        arguments: [
            CellRenderer(style: .symbols), CellRenderer(style: .halfBlocks),
            CellRenderer(style: .halfBlocks, colors: .palette),
            CellRenderer(style: .halfBlocks, colors: .sixteen),
        ],
        [(300, 100), (301, 97), (640, 111), (100, 300), (97, 211), (33, 64), (1000, 3), (7, 900)])
    func theEdgesOfALetterboxedPictureAreStraight(renderer: CellRenderer, size: (Int, Int)) {
        let image = patchwork(PixelSize(width: size.0, height: size.1))
        for box in [
            CellSize(columns: 60, rows: 20), CellSize(columns: 61, rows: 21),
            CellSize(columns: 20, rows: 6), CellSize(columns: 33, rows: 40),
        ] {
            var viewport = PanoramaViewport()
            viewport.fit(image.size, in: box, cellAspect: 0.5)
            let through = renderer.render(image, through: viewport, filling: box)
            for cells in [through, renderer.render(image, fitting: box)] {
                let rows = (0..<cells.size.rows).map { coverage(cells, $0) }
                let covered = rows.filter { $0.contains { $0 != "." } }
                #expect(!covered.isEmpty)
                // From the same column to the same column in each row, and each row all alike in between.
                let columns = Set(covered.map { $0.prefix { $0 == "." }.count })
                let ends = Set(covered.map { $0.reversed().prefix { $0 == "." }.count })
                #expect(columns.count == 1 && ends.count == 1, "\(rows)")
                for row in covered { #expect(Set(row).subtracting(["."]).count == 1, "\(row)") }
            }
        }
    }

    @Test func aPictureThatFillsItsWindowIsNotMoved() throws {
        let image = patchwork(PixelSize(width: 400, height: 100))
        let box = CellSize(columns: 40, rows: 20)
        let viewport = PanoramaViewport()
        let region = viewport.region(of: image.size, in: box, cellAspect: 0.5)
        let place = CellPlacement(
            of: region, in: image.size, wraps: false, box, partsPerRow: 2)
        #expect(place.columns == 0..<40 && place.parts == 0..<40)
        #expect(region.visible(in: image.size, wraps: false) == region)
    }

    @Test func asksForNoMorePixelsThanItShows() {
        let box = CellSize(columns: 160, rows: 50)
        #expect(halfBlocks.pixelSize(of: box) == PixelSize(width: 160, height: 100))
        #expect(
            CellRenderer(style: .symbols).pixelSize(of: box) == PixelSize(width: 1280, height: 800))
    }

    /// Rows of letters, a pixel each.
    private func picture(_ rows: String...) -> PixelImage? {
        let colors: [Character: [UInt8]] = [
            "R": [255, 0, 0], "G": [0, 255, 0], "B": [0, 0, 255], "K": [0, 0, 0],
            "W": [255, 255, 255], "D": [85, 85, 85], "L": [170, 170, 170],
        ]
        return PixelImage(
            size: PixelSize(width: rows[0].count, height: rows.count),
            bytes: rows.joined().flatMap { (colors[$0] ?? [0, 0, 0]) + [255] })
    }
}

extension CellImage {
    /// The glyphs as lines.
    var text: String {
        (0..<size.rows).map { row in
            (0..<size.columns).map { String(Character(self[$0, row].glyph)) }.joined()
        }.joined(separator: "\n")
    }
}

extension CellImage.Color {
    static let red = CellImage.Color(red: 255, green: 0, blue: 0)
    static let green = CellImage.Color(red: 0, green: 255, blue: 0)
    static let blue = CellImage.Color(red: 0, green: 0, blue: 255)
    static let black = CellImage.Color(red: 0, green: 0, blue: 0)
    static let white = CellImage.Color(red: 255, green: 255, blue: 255)
}
