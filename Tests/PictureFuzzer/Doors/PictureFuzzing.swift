import FoundationEssentials

@testable import ByteClubPictures

/// Everything that is done with a picture from outside, by name: what `make fuzz` runs, and what the
/// tests run over the corpora that it has gathered.
package enum PictureFuzzing {
    /// Takes any bytes, and must neither trap nor take long.
    package typealias Door = @Sendable (UnsafeRawBufferPointer) -> Void

    /// The names are those of the corpora.
    package static let all: [String: Door] = [
        "jpeg": { jpeg(Data($0)) }, "png": { png(Data($0)) },
        "picture-facts": { facts(Data($0)) }, "webp": { library(Data($0)) },
        "heif": { library(Data($0)) },
    ]

    private static let box = PixelSize(width: 48, height: 48)

    private static func jpeg(_ bytes: Data) {
        let file = JPEGFile(data: bytes)
        for mode in [Thumbnail.Mode.strict, .fitOneBestFit] {
            guard let small = try? Thumbnail.make(of: file, fitting: box, mode: mode) else {
                continue
            }
            precondition(
                (try? JPEGHeader.read(small.data))?.storedSize == small.size,
                "what is written can be read")
        }
        guard let header = try? file.header() else { return }
        let part = PicturePart(
            left: 0, top: 0, size: header.size.fitted(in: box))
        if let decoded = try? file.decode(part) {
            precondition(decoded.image.size == part.size, "a part has its size")
        }
        _ = try? Thumbnail.embedded(in: header, fitting: box)
        reencode(bytes, size: header.size)
    }

    private static func png(_ bytes: Data) {
        let file = PNGFile(data: bytes)
        for keepsAlpha in [false, true] {
            let decoded = try? file.decode(keepsAlpha: keepsAlpha) { $0.fitted(in: box) }
            guard let decoded, let small = try? decoded.image.pngData(keepsAlpha: keepsAlpha) else {
                continue
            }
            precondition(
                (try? PNGFile(data: small).size()) == decoded.image.size,
                "what is written can be read")
        }
        guard let size = try? file.size() else { return }
        reencode(bytes, size: size)
    }

    /// Our reading of what a library decodes, and, where it is installed, the library's.
    private static func library(_ bytes: Data) {
        let file = PictureFile(data: bytes)
        guard let facts = try? file.facts(), facts.format.needsLibrary,
            facts.storedSize.pixelCount <= 1 << 20
        else { return }
        if let details = try? file.details() {
            precondition(details.size == facts.size, "one size")
        }
        if let decoded = try? file.decode(keepsAlpha: true, { $0.fitted(in: box) }) {
            precondition(decoded.fullSize == facts.size, "one size")
            precondition(decoded.image.size == facts.size.fitted(in: box), "the size asked for")
        }
        reencode(bytes, size: facts.size)
    }

    private static func reencode(_ bytes: Data, size: PixelSize) {
        guard let output = try? PhotoReencoder().reencode(PictureFile(data: bytes)) else { return }
        precondition(output.size == size, "a photo keeps its size")
        try? FileManager.default.removeItem(at: output.url)
    }

    /// What is read in the program itself, before a process apart gets the picture.
    private static func facts(_ bytes: Data) {
        var chunk = Array(bytes)
        _ = PNGLocation.remove(from: &chunk)
        precondition(chunk.count == bytes.count, "a chunk keeps its length")
        let file = PictureFile(data: bytes)
        guard let facts = try? file.facts() else { return }
        if let details = try? file.details() {
            precondition(
                PictureDetails(encoded: details.encoded) == details, "details travel whole")
        }
        let tasks: [PictureTask] = [
            .pixels(fitting: nil), .small(.png, fitting: box, mode: .fitOneBestFit),
            .reencoding(quality: 0.6, keepsLocation: true),
        ]
        for task in tasks {
            let budget = PictureBudget(facts, for: task, visitCount: PictureLimits.blockVisitCount)
            precondition(budget.byteCount > 0 && budget.seconds > 0, "a budget is one")
            _ = facts.scratchByteCounts(for: task)
        }
        // Where a decoder opens it too, they are of one mind.
        if facts.format == .jpeg, let header = try? JPEGFile(data: bytes).header() {
            precondition(header.size == facts.size, "one size")
            precondition(header.isReadWhole == facts.isReadWhole, "one way to read it")
        } else if facts.format == .png, let size = try? PNGFile(data: bytes).size() {
            precondition(size == facts.size, "one size")
        }
    }
}
