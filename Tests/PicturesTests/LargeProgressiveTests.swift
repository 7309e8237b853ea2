import Foundation
import Glibc
import Pictures
import TestSupport
import Testing

/// A progressive picture is read whole before its first row comes.
@Suite struct LargeProgressiveTests {
    /// In a process of its own, since the peak of memory is all of a process's.
    @Test func itsCoefficientsAreNotAllInMemory() async {
        await #expect(processExitsWith: .success) {
            // 216 MB of coefficients.
            let photo = Photos.wide(width: 12_000, height: 6000, isProgressive: true)
            let before = try #require(LargeProgressiveTests.resetPeak())
            let decoded = try JPEGFile(data: photo)
                .decode(scaledToFit: PixelSize(width: 256, height: 256))
            #expect(decoded.image.size == PixelSize(width: 256, height: 128))
            #expect(!decoded.isDamaged)
            let peak = try #require(LargeProgressiveTests.memory("VmHWM")) - before
            #expect(peak < 160_000, "\(peak) kB")
        }
    }

    @Test func itShowsWhatTheSamePictureShowsThatIsNot() throws {
        let folder = try TemporaryFolder()
        let box = PixelSize(width: 640, height: 640)
        let size = (width: 10_000, height: 5000)
        let plain = JPEGFile(data: Photos.wide(width: size.width, height: size.height))
        let progressive = JPEGFile(
            data: Photos.wide(width: size.width, height: size.height, isProgressive: true))
        let shown = try progressive.decode(scaledToFit: box)
        #expect(shown.image == (try plain.decode(scaledToFit: box).image))
        #expect(!shown.isDamaged)
        let output = try PhotoReencoder(directory: folder.url).reencode(progressive)
        #expect(
            try JPEGFile(at: output.url).decode(scaledToFit: box).image.size == shown.image.size)
        #expect(folder.names.count == 1)
    }

    /// Forgets the peak of resident memory, and tells what is resident now, in kB.
    private static func resetPeak() -> Int? {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return nil }
        fputs("5", file)
        fclose(file)
        return memory("VmRSS")
    }

    private static func memory(_ name: String) -> Int? {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").first { $0.hasPrefix(name) }
            .flatMap { Int($0.filter(\.isNumber)) }
    }
}
