import Foundation
import ByteClubPictures

/// Frames of a panorama that moves, and the picture when it rests, on a whole screen of cells.
func measurePanning(_ scene: Scene) {
    let box = CellSize(columns: 160, rows: 50)
    var viewport = PanoramaViewport(wraps: true)
    let moving = CellRenderer(style: .halfBlocks)
    let frame = median(of: 200) {
        viewport.turn(by: 0.003)
        sink(moving.render(scene.panorama, through: viewport, filling: box))
    }
    report("pan frame 160×50, half blocks", frame, "limit 12 all in")

    let resting = CellRenderer(style: .symbols)
    report(
        "same at rest, chafa's symbols",
        median(of: 15) { sink(resting.render(scene.panorama, through: viewport, filling: box)) })
    let thumbnail = CellSize(columns: 30, rows: 5)
    report(
        "thumbnail 30×5, symbols",
        median(of: 50) { sink(resting.render(scene.panorama, fitting: thumbnail)) })

    if let png = try? write(scene.panorama, near: scene) {
        reportCommand(
            "  chafa command, 160×50 (with start and decoding)", runs: 9,
            ["chafa", "--size=160x50", "--stretch", "--symbols=block", png.path])
    }
}

/// From files to pixels on the screen.
func measureDecoding(_ scene: Scene) throws {
    let screen = PixelSize(width: 1280, height: 800)
    for (name, file) in [("12,000×3,000", scene.wide), ("16,384×8,192", scene.sphere)] {
        let megabytes = Double(try Data(contentsOf: file).count) / 1e6
        let decoding = try median(of: 5) {
            sink(try JPEGFile(at: file).decode(scaledToFit: screen).image)
        }
        report("\(name) to a screen", decoding, "\(Int(megabytes)) MB JPEG")
        reportCommand(
            "  djpeg -scale 1/8", runs: 5,
            ["djpeg", "-scale", "1/8", "-outfile", "/dev/null", file.path])
        report(
            "\(name) thumbnail 256×256",
            try median(of: 5) {
                sink(
                    try Thumbnail.make(
                        of: JPEGFile(at: file), fitting: PixelSize(width: 256, height: 256)))
            })
        reportCommand(
            "  ImageMagick thumbnail", runs: 3,
            [
                "convert-im6.q16", "-define", "jpeg:size=256x256", file.path, "-thumbnail",
                "256x256", "jpg:/dev/null",
            ])
    }
    report(
        "header of 12,000×3,000",
        try median(of: 100) { sink(try JPEGHeader.read(fileAt: scene.wide)) })
}

/// What happens before an upload.
func measureReencoding(_ scene: Scene) throws {
    let reencoder = PhotoReencoder(quality: 0.6, directory: scene.folder)
    for (name, file) in [("12,000×3,000", scene.wide), ("same, turned by a quarter", scene.turned)]
    {
        let time = try median(of: 3) {
            let output = try reencoder.reencode(file)
            try FileManager.default.removeItem(at: output.url)
        }
        let peak = output(of: [CommandLine.arguments[0], "--peak", file.path])
        report("re-encode \(name)", time, "apart: \(peak)")
    }
    reportCommand(
        "  djpeg | cjpeg -quality 60", runs: 3,
        ["sh", "-c", "djpeg '\(scene.wide.path)' | cjpeg -quality 60 -outfile /dev/null"])
}

// MARK: - The stopwatch

func milliseconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) * 1000 + Double(duration.components.attoseconds) / 1e15
}

func median(of runs: Int, _ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    return try (0..<runs).map { _ in milliseconds(try clock.measure(body)) }.sorted()[runs / 2]
}

func report(_ name: String, _ value: Double, _ note: String = "") {
    let gap = String(repeating: " ", count: max(1, 52 - name.count))
    print(name + gap + String(format: "%10.3f", value) + (note.isEmpty ? "" : "  " + note))
}

/// Runs a command and reports its wall time, or that it is not installed.
func reportCommand(_ name: String, runs: Int, _ words: [String]) {
    var failed = false
    let time = median(of: runs) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
            process.waitUntilExit()
            failed = failed || process.terminationStatus != 0
        } catch {
            failed = true
        }
    }
    guard failed else { return report(name, time) }
    print("\(name): skipped, \(words[0]) is not installed or has failed.")
}

/// What a command prints, in one line.
func output(of words: [String]) -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: words[0])
    process.arguments = Array(words.dropFirst())
    process.standardOutput = pipe
    guard (try? process.run()) != nil else { return "?" }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).split(separator: "\n").joined(separator: " ")
}

private func write(_ image: PixelImage, near scene: Scene) throws -> URL {
    let file = scene.folder.appending(path: "panorama.jpg")
    try image.jpegData(quality: 0.9).write(to: file)
    return file
}

/// Keeps the optimiser from dropping work whose result nobody reads.
@inline(never)
func sink<Value>(_ value: Value) {}
