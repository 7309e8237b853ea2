public import FoundationEssentials

/// What the club gets of a photo.
public struct PhotoPreparation: Sendable, Hashable {
    /// Photos go as they are, also those that are no JPEGs.
    public var keepsOriginal: Bool
    /// Of what is re-encoded, from 0 to 1.
    public var quality: Double
    /// Whether the club learns where the photo was taken.
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
    /// Makes a photo ready for the club.
    ///
    /// An original is copied first, looked at in a worker, and loses where it was taken unless that is
    /// wanted; all its other bytes stay. One whose library is missing is only checked for its length.
    ///
    /// - Parameter progress: Called on some thread with the part done, from 0 to 1.
    /// - Throws: `PictureError`. A picture that is cut short or damaged is refused; `.changed` when the file
    ///   became another one meanwhile.
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
        do throws(PictureError) {
            // A small picture of it shows whether all of it is there.
            let seen = try await decode(
                original.picture(named: photo.lastPathComponent),
                scaledToFit: PixelSize(width: 64, height: 64))
            guard !seen.isDamaged else { throw PictureError(.damaged, operation: operation) }
        } catch {
            // Others in the club may have what it takes to see it.
            guard error.code == .noLibrary else { throw error }
            try original.checkLength(of: facts.format)
        }
        if !preparation.keepsLocation { try original.removeLocation(from: facts.format) }
        return original.prepared(facts.size)
    }
}
