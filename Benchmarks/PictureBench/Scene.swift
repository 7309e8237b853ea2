import Foundation
import ByteClubPictures
import WelcomeContent

/// The pictures that are measured: one of the welcome panoramas, and large ones tiled from it with
/// grain laid over, so that they hold as much detail as a photo does.
struct Scene {
    let folder: URL
    let panorama: PixelImage
    /// 12,000 × 3,000.
    let wide: URL
    /// The same, to be turned by a quarter.
    let turned: URL
    /// 16,384 × 8,192.
    let sphere: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "byteclub-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard let file = WelcomeContent.files().first(where: { $0.path.hasSuffix(".jpg") }) else {
            throw PictureError(.notFound, operation: "find a welcome picture")
        }
        panorama = try JPEGFile(data: file.data, name: file.path).decode().image

        wide = folder.appending(path: "wide.jpg")
        let large = try Self.tiled(panorama, to: PixelSize(width: 12_000, height: 3_000))
            .jpegData(quality: 0.9)
        try large.write(to: wide)
        turned = folder.appending(path: "turned.jpg")
        try Self.turnedByAQuarter(large).write(to: turned)
        sphere = folder.appending(path: "sphere.jpg")
        try Self.tiled(panorama, to: PixelSize(width: 16_384, height: 8_192))
            .jpegData(quality: 0.85).write(to: sphere)
    }

    func remove() throws {
        try FileManager.default.removeItem(at: folder)
    }

    private static func tiled(_ image: PixelImage, to size: PixelSize) throws -> PixelImage {
        var random: UInt64 = 1
        let row = image.size.width * 4
        let bytes = [UInt8](unsafeUninitializedCapacity: size.pixelCount * 4) { bytes, count in
            for y in 0..<size.height {
                let start = y % image.size.height * row
                for x in 0..<size.width * 4 {
                    if x % 16 == 0 { random = random &* 6_364_136_223_846_793_005 &+ 1 }
                    let grain = Int(random >> UInt64(40 + x % 4)) & 7
                    let value = Int(image.bytes[start + x % row]) + grain - 3
                    bytes[y * size.width * 4 + x] = UInt8(min(255, max(0, value)))
                }
            }
            count = size.pixelCount * 4
        }
        guard let image = PixelImage(size: size, bytes: bytes) else {
            throw PictureError(.tooLarge, operation: "tile a picture")
        }
        return image
    }

    /// Puts EXIF in front that says: turn me.
    private static func turnedByAQuarter(_ photo: Data) -> Data {
        let exif: [UInt8] = [
            0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0,
            0,
        ]
        let content = Array("Exif\0\0".utf8) + exif
        return photo.prefix(2) + [0xFF, 0xE1, 0, UInt8(content.count + 2)] + content
            + photo.dropFirst(2)
    }
}
