import CPictureWorker
public import FoundationEssentials
import Glibc

extension PictureWorkers {
    /// Decodes a picture upright, at most as large as a box, its shape kept; nothing is enlarged.
    ///
    /// What is transparent is white, what is missing of a damaged picture gray.
    ///
    /// - Parameter box: The largest width and height; the picture's full size when nil.
    /// - Throws: `PictureError`; `.tooLarge` also when the result itself would be, `.tooCostly` and
    ///   `.crashed` when its process ended over it, `.noWorker`, `.cancelled`.
    public func decode(
        _ picture: PictureFile, scaledToFit box: PixelSize? = nil
    ) async throws(PictureError) -> DecodedPicture {
        let operation = "show \(picture.name)"
        let outcome = try await perform(
            .pixels(fitting: box), on: picture.source, into: .strip, to: operation)
        guard let image = PixelImage(size: outcome.size, bytes: outcome.bytes) else {
            throw PictureError(
                .crashed, operation: operation, detail: "not the pixels of a picture")
        }
        return DecodedPicture(
            image: image, fullSize: outcome.fullSize, hasAlpha: outcome.answer.reply.has_alpha != 0,
            isDamaged: outcome.answer.reply.code != 0)
    }

    /// Decodes a part of a JPEG at its full size, all rows above it included, which takes their time.
    ///
    /// - Throws: `PictureError`, as `decode` does; `.tooLarge` for a part outside of the picture, and for a
    ///   picture that has to be turned.
    public func part(
        _ part: PicturePart, of picture: PictureFile
    ) async throws(PictureError) -> PixelImage {
        let operation = "show \(picture.name)"
        let outcome = try await perform(
            .part(part), on: picture.source, into: .strip, to: operation)
        guard outcome.size == part.size,
            let image = PixelImage(size: outcome.size, bytes: outcome.bytes)
        else {
            throw PictureError(
                .crashed, operation: operation, detail: "not the pixels of a picture")
        }
        return image
    }

    /// Reads what a picture says about how it was taken.
    ///
    /// - Throws: `PictureError`, as `decode` does.
    public func details(of picture: PictureFile) async throws(PictureError) -> PictureDetails {
        let operation = "read \(picture.name)"
        let outcome = try await perform(
            .details, on: picture.source, into: .strip, to: operation)
        guard
            let details = PictureDetails(encoded: String(decoding: outcome.bytes, as: UTF8.self))
        else {
            throw PictureError(.crashed, operation: operation, detail: "not what a picture says")
        }
        return details
    }

    /// Makes a picture small and writes it: as a JPEG without what is transparent, or as a PNG with it.
    ///
    /// - Parameter mode: How it goes into the box; nil for the picture's own size.
    /// - Throws: `PictureError`, as `decode` does.
    public func thumbnail(
        of picture: PictureFile, as format: PictureFile.Format = .jpeg(quality: 0.8),
        fitting box: PixelSize, mode: Thumbnail.Mode? = .strict
    ) async throws(PictureError) -> Thumbnail {
        Thumbnail(
            try await perform(
                .small(format, fitting: box, mode: mode), on: picture.source, into: .strip,
                to: "show \(picture.name)"))
    }

    /// Makes a thumbnail of the small JPEG that a camera has put beside the large one, whose beginning
    /// is enough for it.
    ///
    /// - Throws: `PictureError`, as `Thumbnail.embedded` does.
    public func embeddedThumbnail(
        in picture: PictureFile, fitting box: PixelSize, mode: Thumbnail.Mode = .strict,
        quality: Double = 0.8
    ) async throws(PictureError) -> Thumbnail {
        Thumbnail(
            try await perform(
                .embedded(fitting: box, mode: mode, quality: quality), on: picture.source,
                into: .strip, to: "show \(picture.name)"))
    }

    /// Re-encodes a photo for the club, as `PhotoReencoder` does.
    ///
    /// - Parameter progress: Called on some thread with the part done, from 0 to 1, about a hundred
    ///   times.
    /// - Throws: `PictureError`. A picture that is cut short or damaged is refused.
    public func reencode(
        _ photo: URL, quality: Double = 0.6, keepsLocation: Bool = false,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(PictureError) -> PreparedPhoto {
        let operation = "prepare \(photo.lastPathComponent)"
        let file = NamelessFile(try ScratchFile(to: operation).release())
        let outcome = try await perform(
            .reencoding(quality: quality, keepsLocation: keepsLocation),
            on: PictureSource(at: photo),
            into: .file(file.descriptor), to: operation, progress: progress)
        return PreparedPhoto(file: file, byteCount: try file.byteCount(to: operation), outcome.size)
    }

    /// What holds in the processes of this program on this computer.
    ///
    /// - Throws: `.noWorker`.
    public func protections() async throws(PictureError) -> PictureProtections {
        try await probe(0).protections
    }

    /// What held in the process that has decoded a picture.
    package func protections(
        decoding picture: PictureFile
    ) async throws(PictureError) -> PictureProtections {
        try await perform(.pixels(fitting: nil), on: picture.source, into: .strip, to: "probe")
            .answer.protections
    }

    /// Has a worker do what a program built for tests has defined.
    ///
    /// - Returns: What that says; -1 without one.
    package func probe(
        _ number: Int
    ) async throws(PictureError) -> (result: Int, protections: PictureProtections) {
        let answer = try await run(
            PictureTask.probe(number).request(stripByteCount: 0), [], to: "probe",
            budget: { () throws(PictureError) in PictureBudget() })
        return (Int(Int32(bitPattern: answer.reply.full_width)), answer.protections)
    }
}

extension Thumbnail {
    fileprivate init(_ outcome: PictureWorkers.Outcome) {
        self.init(data: Data(outcome.bytes), size: outcome.size, fullSize: outcome.fullSize)
    }
}
