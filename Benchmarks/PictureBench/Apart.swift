import Foundation
import ByteClubPictures
import WelcomeContent

/// Decoding in a process apart beside decoding here.
func measureApart(_ scene: Scene) async throws {
    let workers = PictureWorkers()
    let box = PixelSize(width: 256, height: 256)
    let small = try scene.panorama.jpegData(quality: 0.9)
    let smallFile = scene.folder.appending(path: "small.jpg")
    try small.write(to: smallFile)
    for (name, file, runs) in [
        ("1,600×400 thumbnail", smallFile, 200), ("12,000×3,000 thumbnail", scene.wide, 9),
        ("16,384×8,192 thumbnail", scene.sphere, 5),
    ] {
        let picture = PictureFile(at: file)
        let here = try median(of: runs) {
            sink(
                try picture.data(as: .jpeg(quality: 0.8)) {
                    Thumbnail.Mode.strict.size(of: $0, in: box)
                })
        }
        let apart = try await medianApart(of: runs) {
            sink(try await workers.thumbnail(of: picture, fitting: box).data)
        }
        report("\(name), here", here)
        report("  in a process apart", apart, String(format: "%+.2f; limit +3", apart - here))
    }
    let start = try await medianApart(of: 9) {
        // A new one each time.
        sink(try await PictureWorkers().protections())
    }
    report("start of a process for pictures", start, "once for 64 pictures")
}

private func medianApart(of runs: Int, _ body: () async throws -> Void) async throws -> Double {
    let clock = ContinuousClock()
    var times: [Double] = []
    // The first starts a process.
    for run in 0...runs {
        let time = try await clock.measure(body)
        if run > 0 { times.append(milliseconds(time)) }
    }
    return times.sorted()[runs / 2]
}

/// Re-encodes a photo apart in a program that has done nothing else, and prints the peak of resident
/// memory of both processes in megabytes (Linux's VmHWM), and the seconds of a processor of both.
func printPeak(ofReencoding photo: URL) async throws {
    let outcome: String
    do {
        let output = try await PictureWorkers.shared.reencode(photo)
        outcome = "\(output.size)"
    } catch {
        outcome = "refused: \(error)"
    }
    let (megabytes, seconds) = try cost(ofAll: true)
    print("\(megabytes) MB, \(seconds) s of a processor, \(outcome)")
}

/// Looks at a photo as the viewer does, in a program that has done nothing else: for the screen, with all the pixels
/// that are kept, and closely. Prints the peaks of resident memory in megabytes, of this process and of both.
func printPeak(ofViewing photo: URL) async throws {
    let workers = PictureWorkers.shared
    let picture = PictureFile(at: photo)
    let details = try await workers.details(of: picture)
    let box = CellSize(columns: 120, rows: 40)
    let cells = CellRenderer(style: .halfBlocks)
    let renderer = PictureRenderer(moving: cells, resting: cells)
    var shown: PictureLevels?
    for side in [512, 4096] {
        let decoded = try await workers.decode(
            picture, scaledToFit: PixelSize(width: side, height: side))
        shown = await PictureQueue.previews.run { PictureLevels(decoded.image) }
    }
    let folder = URL(filePath: photo.path + ".pictures")
    defer { try? FileManager.default.removeItem(at: folder) }
    guard var levels = shown else { return }
    PictureCache(folder: folder).keep(
        levels, details,
        for: PictureCache.Key(club: "club", path: "/a.jpg", revision: "1", file: "state"))
    for left in [1000, 4000] {
        let part = PicturePart(
            left: left, top: 2000, size: PixelSize(width: 2400, height: 1350))
        levels.closeUp = nil
        levels.closeUp = PictureLevels.CloseUp(
            try await workers.part(part, of: picture), part, of: details.size)
    }
    var viewport = PanoramaViewport(wraps: true)
    for _ in 0..<20 {
        viewport.turn(by: 0.02)
        sink(renderer.frame(of: levels, through: viewport, filling: box, for: .resting, id: 1))
    }
    let (own, all) = (try cost(ofAll: false), try cost(ofAll: true))
    print("\(own.megabytes) MB, with the decoder \(all.megabytes) MB")
}

/// The peak of resident memory and the processor's time, of this process or of it and its children.
private func cost(ofAll: Bool) throws -> (megabytes: Int, seconds: Double) {
    var megabytes = 0
    var seconds = 0.0
    let own = getpid()
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
        guard let process = Int32(name),
            let status = try? String(contentsOfFile: "/proc/\(name)/status", encoding: .utf8),
            let times = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8)
        else { continue }
        func field(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
            return Int(line.filter(\.isNumber)) ?? 0
        }
        guard process == own || ofAll && field("PPid") == Int(own) else { continue }
        megabytes += field("VmHWM") / 1000
        let fields = times[(times.lastIndex(of: ")") ?? times.startIndex)...].split(separator: " ")
        seconds += [12, 13].reduce(0) { $0 + (Double(fields[$1]) ?? 0) } / 100
    }
    return (megabytes, seconds)
}
