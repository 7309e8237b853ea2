import Testing

@testable import ByteClubPictures

/// From a picture and a window on it to what a terminal gets, for all ways of showing it.
@Suite struct PictureRendererTests {
    private let cell = PixelSize(width: 10, height: 20)

    private func renderer(_ encoder: (any PictureEncoder)?) -> PictureRenderer {
        PictureRenderer(
            moving: CellRenderer(style: .halfBlocks), resting: CellRenderer(style: .symbols),
            encoder: encoder, cell: cell)
    }

    /// Eight columns of color, from the left: black, red, green, yellow, blue, magenta, cyan, white.
    private let bars = TestPicture.make(width: 800, height: 200) { x, _ in
        let bar = x / 100
        return (bar & 1 * 255, (bar >> 1 & 1) * 255, (bar >> 2 & 1) * 255)
    }

    private func pixels(_ frame: PictureFrame) throws -> PixelImage {
        let bytes = try #require(frame.pixels?.bytes)
        let command = try #require(KittyEncoderTests.read(bytes))
        let width = try #require(Int(command.keys["s"] ?? ""))
        let height = try #require(Int(command.keys["v"] ?? ""))
        let size = PixelSize(width: width, height: height)
        var image = PixelImage(size: size)
        let colors = try #require(command.pixels)
        for index in 0..<size.pixelCount {
            image[index % size.width, index / size.width] = PixelImage.Pixel(
                red: colors[index * 3], green: colors[index * 3 + 1],
                blue: colors[index * 3 + 2])
        }
        return image
    }

    private func bar(_ pixel: PixelImage.Pixel) -> Int {
        Int(pixel.red / 128) + Int(pixel.green / 128) * 2 + Int(pixel.blue / 128) * 4
    }

    @Test(arguments: [PictureMotion.moving, .resting])
    func showsWhatTheWindowShows(motion: PictureMotion) throws {
        let levels = PictureLevels(bars)
        let box = CellSize(columns: 40, rows: 5)
        var viewport = PanoramaViewport()
        // All of it, 4 : 1, as is the box.
        viewport.fit(bars.size, in: box, cellAspect: 0.5)
        let whole = renderer(KittyEncoder()).frame(
            of: levels, through: viewport, filling: box, for: motion, id: 5)
        #expect(whole.pixels?.id == 5)
        #expect(whole.pixels?.place == CellRegion(column: 0, row: 0, size: box))
        #expect(whole.cells.size == box)
        let image = try pixels(whole)
        #expect(image.size == PixelSize(width: 400, height: 100))
        #expect((0..<8).map { bar(image[$0 * 50 + 25, 50]) } == Array(0..<8))

        viewport.zoom(by: 4)
        let part = try pixels(
            renderer(KittyEncoder()).frame(
                of: levels, through: viewport, filling: box, for: motion, id: 6))
        #expect(bar(part[100, 50]) == 3 && bar(part[300, 50]) == 4)
    }

    @Test(arguments: [PictureMotion.moving, .resting])
    func goesOnAtTheOtherEnd(motion: PictureMotion) throws {
        var viewport = PanoramaViewport(wraps: true)
        let box = CellSize(columns: 20, rows: 5)
        viewport.turn(by: 0.5)
        let image = try pixels(
            renderer(KittyEncoder()).frame(
                of: PictureLevels(bars), through: viewport, filling: box, for: motion, id: 1))
        // 400 of 800 pixels around the seam: 6 7 | 0 1.
        #expect([25, 75, 125, 175].map { bar(image[$0, 50]) } == [6, 7, 0, 1])
    }

    @Test func aroundASmallPictureThereAreNoPixels() throws {
        var viewport = PanoramaViewport()
        let box = CellSize(columns: 40, rows: 11)
        viewport.fit(bars.size, in: box, cellAspect: 0.5)
        let frame = renderer(KittyEncoder()).frame(
            of: PictureLevels(bars), through: viewport, filling: box, for: .resting, id: 1)
        let place = try #require(frame.pixels?.place)
        #expect(place == CellRegion(column: 0, row: 3, size: CellSize(columns: 40, rows: 5)))
        #expect(frame.cells.size == box)
        #expect(frame.cells[0, 0] == CellImage.Cell())
    }

    @Test func theScaleIsWhatTheLineCanCarry() throws {
        let renderer = renderer(KittyEncoder())
        let box = CellSize(columns: 160, rows: 45)
        func scale(_ motion: PictureMotion, _ rate: Double?) -> Double {
            renderer.scale(for: motion, filling: box, bytesPerSecond: rate)
        }
        #expect(scale(.moving, nil) == 0.5 && scale(.resting, nil) == 1)
        #expect(scale(.moving, 1e9) == 0.5 && scale(.resting, 1e9) == 1)
        #expect(scale(.moving, 10e6) < 0.25 && scale(.resting, 1e6) < 0.5)
        #expect(scale(.moving, 1) == 0.1)
        let frame = renderer.frame(
            of: PictureLevels(bars), through: PanoramaViewport(), filling: box, for: .moving, id: 1,
            scale: 0.25)
        let size = try pixels(frame).size
        #expect(size == PixelSize(width: 400, height: 225))
        #expect(self.renderer(nil).scale(for: .moving, filling: box, bytesPerSecond: 1) == 1)
    }

    @Test func allWaysShowTheSameCells() {
        let encoders: [(any PictureEncoder)?] = [
            KittyEncoder(), SixelEncoder(), InlineImageEncoder(), nil,
        ]
        let box = CellSize(columns: 30, rows: 6)
        let frames = encoders.map {
            renderer($0).frame(
                of: PictureLevels(bars), through: PanoramaViewport(), filling: box, for: .moving,
                id: 1)
        }
        #expect(Set(frames.map(\.cells.cells)).count == 1)
        #expect(frames.map { $0.pixels == nil } == [false, false, false, true])
        let small = encoders.map { renderer($0).frame(of: bars, fitting: box, id: 1) }
        #expect(Set(small.map(\.cells.cells)).count == 1)
        #expect(small[0].pixels?.place.size == small[0].cells.size)
    }

    @Test func eachLevelIsHalfOfTheOneBefore() {
        let levels = PictureLevels(TestPicture.gradient(width: 1001, height: 500))
        #expect(
            levels.images.map(\.size.width) == [1001, 500, 250, 125])
        let small = levels.image(showing: (1, 1), in: PixelSize(width: 240, height: 100))
        #expect(small.size.width == 250)
        #expect(
            levels.image(showing: (0.1, 0.1), in: PixelSize(width: 240, height: 1)).size.width
                == 1001)
        let mean = levels.images[3]
        #expect(abs(Int(mean[62, 30].red) - 127) < 4)
    }
}

/// Few colors, and the pattern between them.
@Suite struct OrderedDitherTests {
    @Test(arguments: [CellColors.palette, .sixteen, .eight])
    func theMeanIsTheColor(colors: CellColors) {
        let wanted = [(60, 60, 60), (120, 140, 100), (30, 90, 160), (200, 180, 40)]
        for (red, green, blue) in wanted {
            var image = TestPicture.make(width: 16, height: 16) { _, _ in (red, green, blue) }
            OrderedDither.apply(colors, to: &image)
            func mean(_ part: KeyPath<PixelImage.Pixel, UInt8>) -> Int {
                (0..<256).reduce(0) { $0 + Int(image[$1 % 16, $1 / 16][keyPath: part]) } / 256
            }
            let limit = colors == .palette ? 6 : 90
            #expect(abs(mean(\.red) - red) <= limit, "\(colors) \(red) \(green) \(blue)")
            #expect(abs(mean(\.green) - green) <= limit, "\(colors) \(red) \(green) \(blue)")
            #expect(abs(mean(\.blue) - blue) <= limit, "\(colors) \(red) \(green) \(blue)")
        }
    }

    @Test func aColorThatIsThereStaysPlain() {
        for (red, green, blue) in [(0, 95, 255), (8, 8, 8), (255, 255, 255), (215, 0, 135)] {
            var image = TestPicture.make(width: 8, height: 8) { _, _ in (red, green, blue) }
            let before = image
            OrderedDither.apply(.palette, to: &image)
            #expect(image == before)
        }
    }

    private let ramp = TestPicture.make(width: 32, height: 8) { x, _ in
        (x * 255 / 31, x * 255 / 31, x * 255 / 31)
    }

    /// A gray ramp as each kind of terminal shows it: `.` black, `-` dark, `+` light gray, `#` white.
    @Test func aRampInSixteenColors() {
        let cells = CellRenderer(style: .symbols, colors: .sixteen).render(
            ramp, fitting: CellSize(columns: 32, rows: 4))
        func letter(_ color: CellImage.Color?) -> Character {
            let greys: [UInt8: Character] = [0: ".", 127: "-", 229: "+", 255: "#"]
            return greys.first { grey, _ in
                color == CellImage.Color(red: grey, green: grey, blue: grey)
            }?.value ?? "?"
        }
        let lines = (0..<8).map { y in
            String(
                (0..<32).map { x in
                    let cell = cells[x, y / 2]
                    return letter(
                        y % 2 == 0 && cell.glyph == "▀" ? cell.foreground : cell.background)
                })
        }
        #expect(
            lines.joined(separator: "\n") == Self.sixteenColors,
            "\n\(lines.joined(separator: "\n"))")
    }

    @Test func aRampWithoutColors() {
        let cells = CellRenderer(style: .characters(onDark: true), colors: .eight).render(
            ramp, fitting: CellSize(columns: 32, rows: 4))
        #expect(cells.text == Self.noColors, "\n\(cells.text)")
        #expect(cells.cells.allSatisfy { $0.foreground == nil && $0.background == nil })
    }

    private static let noColors = """
            ...::::---====+++****###%%%@
            ...::::---====+++****###%%%@
            ...::::---====+++****###%%%@
            ...::::---====+++****###%%%@
        """
    private static let sixteenColors = """
        .......-.-.-.----------+-+-+-++#
        ..-.-.-.-.--------+-+-+-+-#+#+##
        .....-.-.-.-.-.------+-+-+-++#+#
        ....-.-.--------+-+-+-+-#+#+#+#+
        .......-.-.-.----------+-+-+-++#
        ..-.-.-.-.--------+-+-+-+-#+#+##
        .....-.-.-.-.-.------+-+-+-++#+#
        ....-.-.--------+-+-+-+-#+#+#+#+
        """
}
