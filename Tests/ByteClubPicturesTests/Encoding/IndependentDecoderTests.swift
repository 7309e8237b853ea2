import ByteClubPictures
import Foundation
import TestSupport
import Testing

/// What our encoders write, read by programs that others wrote: libsixel's `sixel2png`, and Python with its zlib.
@Suite struct IndependentDecoderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    // MARK: - Sixels

    private func decodedByLibsixel(_ sixels: [UInt8]) async throws -> PixelImage {
        let (input, output) = (
            folder.url.appending(path: "in.six"), folder.url.appending(path: "out.png")
        )
        try Data(sixels).write(to: input)
        let result = try await Command(
            "/usr/bin/sixel2png", ["-i", input.path, "-o", output.path], environment: [:]
        ).run()
        try #require(result.status == 0, "\(result.errorText)")
        return try PNGFile(at: output).decode(keepsAlpha: false) { $0 }.image
    }

    @Test(arguments: [(5, 6), (64, 13), (130, 40), (200, 121)], [PictureMotion.moving, .resting])
    func libsixelDrawsThePicture(size: (Int, Int), motion: PictureMotion) async throws {
        let image = TestPicture.gradient(width: size.0, height: size.1)
        let sixels = SixelEncoder().encode(
            image, as: 1, over: CellSize(columns: 4, rows: 2), of: image.size, for: motion)
        let decoded = try await decodedByLibsixel(sixels)
        try #require(decoded.size == image.size)
        let error = TestPicture.difference(decoded, image)
        #expect(error.mean < (motion == .resting ? 8 : 17) && error.largest <= 42, "\(error)")
        // Its colors are ours, up to rounding of the percents.
        let own = try #require(SixelEncoderTests.draw(sixels))
        #expect(TestPicture.difference(decoded, own).largest <= 2)
    }

    @Test func libsixelDrawsNoise() async throws {
        let image = TestPicture.noise(width: 61, height: 47)
        let sixels = SixelEncoder().encode(
            image, as: 1, over: CellSize(columns: 4, rows: 2), of: image.size, for: .resting)
        let decoded = try await decodedByLibsixel(sixels)
        try #require(decoded.size == image.size)
        #expect(TestPicture.difference(decoded, image).mean < 24)
    }

    // MARK: - kitty

    /// Reads the sequences as the protocol's specification says, and prints the keys, and the pixels in hexadecimal.
    private static let reader = #"""
        import base64, re, sys, zlib
        stream = open(sys.argv[1], "rb").read()
        parts = re.findall(rb"\x1b_G([^;\x1b]*);([^\x1b]*)\x1b\\", stream)
        assert b"".join(b"\x1b_G%s;%s\x1b\\" % part for part in parts) == stream, "other bytes"
        keys = dict(pair.split(b"=") for pair in parts[0][0].split(b","))
        for index, (control, payload) in enumerate(parts):
            more = dict(pair.split(b"=") for pair in control.split(b","))[b"m"]
            assert more == (b"0" if index == len(parts) - 1 else b"1"), "m of piece %d" % index
            assert index == 0 or control == b"m=" + more, "keys of piece %d" % index
            assert len(payload) <= 4096, "piece %d is too long" % index
            assert index == len(parts) - 1 or len(payload) % 4 == 0, "piece %d is not whole" % index
        pixels = base64.b64decode(b"".join(payload for _, payload in parts), validate=True)
        if keys.get(b"o") == b"z":
            pixels = zlib.decompress(pixels)
        assert keys[b"a"] == b"T" and keys[b"f"] == b"24", "keys"
        width, height = int(keys[b"s"]), int(keys[b"v"])
        assert len(pixels) == width * height * 3, "%d bytes" % len(pixels)
        print(width, height, pixels.hex())
        """#

    @Test(arguments: [(1, 1), (37, 40), (200, 121)], [PictureMotion.moving, .resting])
    func pythonReadsThePicture(size: (Int, Int), motion: PictureMotion) async throws {
        let image = TestPicture.noise(width: size.0, height: size.1)
        let input = folder.url.appending(path: "kitty")
        try Data(
            KittyEncoder().encode(
                image, as: 7, over: CellSize(columns: 9, rows: 4), of: image.size, for: motion)
        ).write(to: input)
        let result = try await Command(
            "/usr/bin/python3", ["-I", "-c", Self.reader, input.path], environment: [:]
        ).run()
        try #require(result.status == 0, "\(result.errorText)")
        let colors = (0..<image.size.pixelCount).flatMap { image.bytes[$0 * 4..<$0 * 4 + 3] }
        let hexadecimal = colors.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
        #expect(result.text == "\(size.0) \(size.1) \(hexadecimal)\n")
    }
}
