/// How a PNG is to be turned: the orientation in its EXIF.
///
/// Source: PNG (third edition), 5.3 (chunks), 5.6 (`eXIf` is before `IDAT`) and 11.3.4.5.
enum PNGOrientation {
    /// EXIF with a large preview; more is not read.
    private static let exifByteLimit = 1 << 20
    private static let chunkLimit = 1000

    /// - Returns: `.up` also if the chunks are damaged: what can be shown is shown as it is stored.
    static func read(
        _ bytes: PictureBytes, to operation: String
    ) throws(PictureError) -> Orientation {
        var reader = PictureByteReader(bytes, from: 8, to: operation)
        for _ in 0..<chunkLimit {
            let head = try reader.bytes(8)
            guard head.count == 8 else { return .up }
            let count = head[..<4].reduce(0) { $0 << 8 | Int($1) }
            switch String(decoding: head[4...], as: UTF8.self) {
            case "IDAT", "IEND": return .up
            case "eXIf":
                guard count <= exifByteLimit else { return .up }
                return Exif(marker: Exif.signature + (try reader.bytes(count)))?.orientation ?? .up
            default: reader.skip(count + 4)
            }
        }
        return .up
    }
}
