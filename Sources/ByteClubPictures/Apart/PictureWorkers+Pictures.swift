import CByteClubPictureWorker
public import FoundationEssentials
import Glibc

extension PictureWorkers {
    /// Decodes a picture upright, fitted into a box with its aspect ratio, never enlarged.
    ///
    /// Transparent parts become white, missing parts of a damaged picture gray.
    ///
    /// - Parameter box: The maximum width and height; nil for the picture's full size.
    /// - Throws: `PictureError`; `.tooLarge` also if the result would be too large, `.tooCostly` and
    ///   `.crashed` if the process was killed or crashed, `.noWorker`, `.cancelled`.
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

    /// Decodes a part of a JPEG in full size. The time includes all rows above it.
    ///
    /// - Throws: `PictureError`, as `decode` does; `.tooLarge` for a part outside of the picture, and for a
    ///   picture that must be turned.
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

    /// Reads information about how a picture was taken.
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

    /// Scales and encodes a picture: as a JPEG without transparency, or as a PNG with it.
    ///
    /// - Parameter mode: How it is fitted into the box; nil for the picture's own size.
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

    /// Makes a thumbnail from the JPEG that a camera has embedded. Only the beginning of the file is needed.
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

    /// Re-encodes a photo for the club, like `PhotoReencoder`.
    ///
    /// - Parameter progress: Called on any thread with the completed fraction, from 0 to 1, about a hundred
    ///   times.
    /// - Throws: `PictureError`. Truncated and damaged pictures are refused.
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

    /// The protections of this program's workers on this computer.
    ///
    /// - Throws: `.noWorker`.
    public func protections() async throws(PictureError) -> PictureProtections {
        try await probe(0).protections
    }

    /// The protections of the process that decoded a picture.
    package func protections(
        decoding picture: PictureFile
    ) async throws(PictureError) -> PictureProtections {
        try await perform(.pixels(fitting: nil), on: picture.source, into: .strip, to: "probe")
            .answer.protections
    }

    /// Runs a test program's task in a worker.
    ///
    /// - Returns: Its result; -1 if there is none.
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
