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
        guard process == own || field("PPid") == Int(own) else { continue }
        megabytes += field("VmHWM") / 1000
        let fields = times[(times.lastIndex(of: ")") ?? times.startIndex)...].split(separator: " ")
        seconds += [12, 13].reduce(0) { $0 + (Double(fields[$1]) ?? 0) } / 100
    }
    print("\(megabytes) MB, \(seconds) s of a processor, \(outcome)")
}
