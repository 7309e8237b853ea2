import FoundationEssentials

/// Everything that is done with a picture from outside, by name: what `make fuzz` runs, and what the
/// tests run over the corpora that it has gathered.
package enum PictureFuzzing {
    /// Takes any bytes, and must neither trap nor take long.
    package typealias Door = @Sendable (UnsafeRawBufferPointer) -> Void

    /// The names are those of the corpora.
    package static let all: [String: Door] = ["jpeg": { jpeg($0) }]

    private static func jpeg(_ bytes: UnsafeRawBufferPointer) {
        let file = JPEGFile(data: Data(bytes))
        let box = PixelSize(width: 48, height: 48)
        for mode in [Thumbnail.Mode.strict, .fitOneBestFit] {
            guard let small = try? Thumbnail.make(of: file, fitting: box, mode: mode) else {
                continue
            }
            precondition(
                (try? JPEGHeader.read(small.data))?.storedSize == small.size,
                "what is written can be read")
        }
        guard let header = try? file.header() else { return }
        _ = try? Thumbnail.embedded(in: header, fitting: box)
        guard let output = try? PhotoReencoder().reencode(file) else { return }
        precondition(output.size == header.size, "a photo keeps its size")
        try? FileManager.default.removeItem(at: output.url)
    }
}
