import Foundation
import ByteClubPictures

/// PNGs of kinds that our own encoder does not write: 3 × 2 pixels, white first and black last.
enum PNGFixtures {
    /// In seven passes (Adam7).
    static let interlaced = data(
        "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAFlEcHbAAAAFUlEQVR42mP4//8/w38GBhgGUQwMAGit"
            + "BvqKunkQAAAAAElFTkSuQmCC")
    /// Four colors in two bits, the second of them transparent.
    static let palette = data(
        "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACAgMAAADgGo6JAAAACVBMVEUAAAD/AAD///9nGWQeAAAAAnRS"
            + "TlP/AOW3MEoAAAAMSURBVHjaY5jCEAAAAhAA5feFX+cAAAAASUVORK5CYII=")
    /// Gray of 16 bits.
    static let grey16 = data(
        "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACEAAAAADoj+WFAAAAE0lEQVR42mP4/7/UoNSAAUwwAAAriwST"
            + "f6JhRAAAAABJRU5ErkJggg==")

    private static func data(_ base64: String) -> Data { Data(base64Encoded: base64) ?? Data() }

    private static let signature = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])

    /// The beginning of a picture of a size, and no more.
    static func header(_ size: PixelSize, isInterlaced: Bool) -> Data {
        let numbers = [size.width, size.height].flatMap { bigEndian(UInt32($0)) }
        return signature + chunk("IHDR", Data(numbers + [8, 2, 0, 0, isInterlaced ? 1 : 0]))
            + chunk("IDAT", Data([0x78, 0x9C]))
    }

    /// A profile of colors that unpacks to 48 MiB: the pixels of a large black picture.
    static let bomb: Data = {
        let black = PixelImage(
            size: PixelSize(width: 4096, height: 4096),
            filledWith: .init(red: 0, green: 0, blue: 0))
        var packed = Data()
        for part in chunks(of: (try? black.pngData()) ?? Data()) where part.name == "IDAT" {
            packed += part.content
        }
        return Data("x\0\0".utf8) + packed
    }()

    /// Source: PNG (third edition), 5.3: length, type, data, CRC of type and data.
    static func chunk(_ name: String, _ content: Data) -> Data {
        let checked = Data(name.utf8) + content
        return Data(bigEndian(UInt32(content.count))) + checked + Data(bigEndian(crc(checked)))
    }

    /// The same with every checksum as it must be, as far as its lengths make sense.
    static func withChecksums(_ png: Data) -> Data {
        chunks(of: png).reduce(signature) { $0 + chunk($1.name, $1.content) }
    }

    private static func chunks(of png: Data) -> [(name: String, content: Data)] {
        var result: [(String, Data)] = []
        var rest = Array(png.dropFirst(8))[...]
        while rest.count >= 12 {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard length <= rest.count - 12 else { break }
            let name = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
            result.append((name, Data(rest.dropFirst(8).prefix(length))))
            rest = rest.dropFirst(length + 12)
        }
        return result
    }

    /// A picture with chunks behind its header.
    static func adding(_ extra: [(name: String, content: Data)], to picture: Data) -> Data {
        let start = signature.count + 25
        return picture.prefix(start) + extra.reduce(Data()) { $0 + chunk($1.name, $1.content) }
            + picture.dropFirst(start)
    }

    /// Whether each chunk ends with its checksum.
    static func hasIntactChecksums(_ picture: Data) -> Bool {
        let all = chunks(of: picture)
        return all.reduce(signature) { $0 + chunk($1.name, $1.content) } == picture
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    private static func crc(_ bytes: Data) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 {
                let isOdd = crc & 1 == 1
                crc >>= 1
                if isOdd { crc ^= 0xEDB8_8320 }
            }
        }
        return ~crc
    }
}
