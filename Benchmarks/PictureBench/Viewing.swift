import Foundation
import ByteClubPictures

/// A panorama in the viewer: frames of a pan in characters and in pixels with the bytes that the terminal
/// gets, the first look at a large file and the second.
func measureViewing(_ scene: Scene) async throws {
    let levels = PictureLevels(scene.panorama)
    measureFrames(levels)
    let panorama = scene.folder.appending(path: "frame.jpg")
    try scene.panorama.jpegData(quality: 0.9).write(to: panorama)
    reportCommand(
        "  chafa, 160×50 half blocks (with start and decoding)", runs: 9,
        ["chafa", "--size=160x50", "--stretch", "--symbols=vhalf", panorama.path])
    reportCommand(
        "  timg, 160×50 half blocks", runs: 9, ["timg", "-ph", "-g160x50", panorama.path])
    reportCommand(
        "  chafa, sixel", runs: 5,
        ["chafa", "--format=sixel", "--size=200x112", "--stretch", panorama.path])
    reportCommand("  timg, kitty", runs: 5, ["timg", "-pk", "-g160x45", panorama.path])
    let workers = PictureWorkers()
    let picture = PictureFile(at: scene.sphere)
    // The process is there already, as it is when a list of thumbnails was shown.
    sink(try await workers.details(of: picture))
    let box = CellSize(columns: 160, rows: 50)
    let cells = CellRenderer(style: .halfBlocks)
    let renderer = PictureRenderer(moving: cells, resting: cells)
    func show(_ levels: PictureLevels) {
        var viewport = PanoramaViewport(wraps: true)
        viewport.fit(levels.largest.size, in: box, cellAspect: 0.5)
        sink(renderer.frame(of: levels, through: viewport, filling: box, for: .moving, id: 1))
    }
    for (name, side) in [("160×50 cells", 512), ("1600×900", 1600)] {
        let first = try await medianOf(5) {
            let decoded = try await workers.decode(
                picture, scaledToFit: PixelSize(width: side, height: side))
            show(PictureLevels(decoded.image))
        }
        report("16,384×8,192, first view, \(name)", first, "limit 300")
    }
    let file = scene.sphere.path
    // Processes for pictures give way to everything else: so does it.
    reportCommand(
        "  djpeg -scale 1/8", runs: 5,
        ["nice", "-n", "5", "djpeg", "-scale", "1/8", "-outfile", "/dev/null", file])
    reportCommand(
        "  chafa, 160×50", runs: 3, ["chafa", "--size=160x50", "--symbols=vhalf", file])
    reportCommand("  timg, 160×50", runs: 3, ["timg", "-ph", "-g160x50", file])

    let details = try await workers.details(of: picture)
    let decoded = try await workers.decode(
        picture, scaledToFit: PixelSize(width: 4096, height: 4096))
    let cache = PictureCache(folder: scene.folder.appending(path: "pictures"))
    for (name, image) in [
        ("4,096×2,048", decoded.image),
        ("3,000×1,500", decoded.image.scaled(to: PixelSize(width: 3000, height: 1500))),
    ] {
        let key = PictureCache.Key(
            club: "club", path: "/\(name).jpg", revision: "1", file: "state")
        cache.keep(PictureLevels(image), details, for: key)
        let second = median(of: 9) {
            if let kept = cache.picture(for: key) { show(kept.levels) }
        }
        report("  second look, of \(name) pixels on disk", second, "limit 50")
    }

    let part = PicturePart(left: 8000, top: 4000, size: PixelSize(width: 2400, height: 1350))
    let close = try await medianOf(3) { sink(try await workers.part(part, of: picture)) }
    report("  single pixels of 2,400×1,350 in its middle", close)
    let peak = output(of: [CommandLine.arguments[0], "--viewing-peak", scene.sphere.path])
    print("  peak of memory while it is looked at: \(peak); limit 100")
}

private func measureFrames(_ levels: PictureLevels) {
    let aspect = 0.5
    let moving = CellRenderer(style: .halfBlocks, cellAspect: aspect)
    let resting = CellRenderer(style: .symbols, cellAspect: aspect)
    var viewport = PanoramaViewport(wraps: true)
    let encoders: [(String, (any PictureEncoder)?, CellSize)] = [
        ("cells 160×50", nil, CellSize(columns: 160, rows: 50)),
        ("1600×900, kitty", KittyEncoder(), CellSize(columns: 160, rows: 45)),
        ("1600×900, sixel", SixelEncoder(), CellSize(columns: 160, rows: 45)),
        ("1600×900, iTerm2", InlineImageEncoder(), CellSize(columns: 160, rows: 45)),
    ]
    for (name, encoder, box) in encoders {
        let renderer = PictureRenderer(
            moving: moving, resting: resting, encoder: encoder,
            cell: PixelSize(width: 10, height: 20))
        func measure(_ motion: PictureMotion, _ scale: Double, _ runs: Int) -> (Double, Int) {
            var byteCount = 0
            let time = median(of: runs) {
                viewport.turn(by: 0.003)
                let frame = renderer.frame(
                    of: levels, through: viewport, filling: box, for: motion, id: 1, scale: scale)
                byteCount = frame.pixels?.bytes.count ?? 0
                sink(frame)
            }
            return (time, byteCount)
        }
        let pan = measure(.moving, 0.5, 60)
        let limit = encoder == nil ? "limit 8" : "limit 16"
        report(
            "pan frame \(name)", pan.0,
            pan.1 > 0 ? "\(limit); \(pan.1 / 1000) kB" : limit)
        let rest = measure(.resting, 1, 7)
        report("  same at rest", rest.0, rest.1 > 0 ? "\(rest.1 / 1000) kB" : "")
    }
}

private func medianOf(_ runs: Int, _ body: () async throws -> Void) async throws -> Double {
    let clock = ContinuousClock()
    var times: [Double] = []
    for _ in 0..<runs { times.append(milliseconds(try await clock.measure(body))) }
    return times.sorted()[runs / 2]
}
