import Foundation
import ByteClubPictures
import TestSupport
import Testing

/// Any bytes lead to a picture or to an error.
@Suite struct JPEGFuzzTests {
    private static let photos = [
        Photos.corners(
            width: 72, height: 40, orientation: 6,
            metadata: PhotoMetadata(
                hasLocation: true, maker: "Byte & Sons",
                thumbnail: Photos.corners(width: 16, height: 8)),
            profile: Photos.profile()),
        Photos.corners(width: 72, height: 40, orientation: 3, isProgressive: true),
        Photos.inks(width: 40, height: 24),
        Photos.noise(width: 64, height: 48),
    ]

    @Test(arguments: 0..<4)
    func survivesFlippedBytes(photo: Int) throws {
        let folder = try TemporaryFolder()
        var random = SeededGenerator(seed: UInt64(photo) + 7)
        let original = Self.photos[photo]
        for round in 0..<250 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                // Half of the flips hit the header, where the trouble is.
                let reach = Bool.random(using: &random) ? bytes.count : min(700, bytes.count)
                bytes[Int.random(in: 0..<reach, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            survive(bytes, in: round % 5 == 0 ? folder : nil)
        }
        #expect(folder.names.isEmpty)
    }

    @Test(arguments: 0..<4)
    func survivesBeingCutAnywhere(photo: Int) {
        let original = Self.photos[photo]
        for count in stride(from: 0, to: original.count, by: max(1, original.count / 120)) {
            survive(original.prefix(count), in: nil)
        }
    }

    @Test func survivesMetadataThatPointsAnywhere() {
        var random = SeededGenerator(seed: 99)
        let original = Self.photos[0]
        for _ in 0..<600 {
            var bytes = original
            for _ in 0..<8 {
                bytes[Int.random(in: 20..<420, using: &random)] =
                    [0, 1, 2, 8, 0x7F, 0x80, 0xFE, 0xFF].randomElement(using: &random)!
            }
            _ = try? JPEGHeader.read(bytes)
        }
    }

    /// Reads, shows and re-encodes; every failure must be a `PictureError`, which typed throws see
    /// to, and what succeeds must be consistent.
    private func survive(_ data: Data, in folder: TemporaryFolder?) {
        let file = JPEGFile(data: Data(data))
        _ = try? file.header()
        if let decoded = try? file.decode(scaledToFit: PixelSize(width: 60, height: 60)) {
            #expect(decoded.image.bytes.count == decoded.image.size.pixelCount * 4)
        }
        guard let folder, let header = try? file.header(), header.size.pixelCount < 1_000_000
        else { return }
        if let output = try? PhotoReencoder(directory: folder.url).reencode(file) {
            #expect((try? JPEGHeader.read(fileAt: output.url).size) == output.size)
            try? FileManager.default.removeItem(at: output.url)
        }
    }
}
