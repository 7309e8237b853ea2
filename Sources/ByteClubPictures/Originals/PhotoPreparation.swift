public import FoundationEssentials

/// How photos are prepared for upload.
public struct PhotoPreparation: Sendable, Hashable {
    /// Whether photos are uploaded unchanged, including those that are not JPEGs.
    public var keepsOriginal: Bool
    /// The quality of re-encoded photos, from 0 to 1.
    public var quality: Double
    /// Whether the location of the photo is kept.
    public var keepsLocation: Bool

    public init(
        keepsOriginal: Bool = false, quality: Double = 0.6, keepsLocation: Bool = false
    ) {
        self.keepsOriginal = keepsOriginal
        self.quality = quality
        self.keepsLocation = keepsLocation
    }
}

extension PictureWorkers {
    /// Prepares a photo for upload.
    ///
    /// An original is copied first, decoded in a worker, and its location is removed unless it is kept; all
    /// other bytes stay the same. If its library is missing, only its length is checked.
    ///
    /// - Parameter progress: Called on any thread with the completed fraction, from 0 to 1.
    /// - Throws: `PictureError`. A truncated or damaged picture is refused; `.changed` if the file was
    ///   modified meanwhile.
    @concurrent public func prepare(
        _ photo: URL, as preparation: PhotoPreparation,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(PictureError) -> PreparedPhoto {
        let operation = "prepare \(photo.lastPathComponent)"
        guard preparation.keepsOriginal else {
            let before = FileState(at: photo)
            let prepared = try await reencode(
                photo, quality: preparation.quality, keepsLocation: preparation.keepsLocation,
                progress: progress)
            guard FileState(at: photo) == before else {
                throw PictureError(.changed, operation: operation)
            }
            return prepared
        }
        let original = try OriginalPhoto(copying: photo, progress: progress, to: operation)
        let facts = try original.facts()
        guard facts.format.photoEnding != nil else {
            throw PictureError(.onlyAsJPEG, operation: operation, format: facts.format)
        }
        do throws(PictureError) {
            // Decoding a small picture shows whether it is complete.
            let seen = try await decode(
                original.picture(named: photo.lastPathComponent),
                scaledToFit: PixelSize(width: 64, height: 64))
            guard !seen.isDamaged else { throw PictureError(.damaged, operation: operation) }
        } catch {
            // Other members may have the library.
            guard error.code == .noLibrary else { throw error }
            try original.checkLength(of: facts.format)
        }
        if !preparation.keepsLocation { try original.removeLocation(from: facts.format) }
        return original.prepared(facts.size)
    }
}
