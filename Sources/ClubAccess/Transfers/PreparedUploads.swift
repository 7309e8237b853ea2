internal import ByteClubPictures
internal import ClubStore

/// Photos that were prepared for uploads which wait to be tried again, so that each attempt does not encode them
/// again.
@MainActor final class PreparedUploads {
    private struct Kept {
        var id: String
        /// The file as it was when the photo was prepared.
        var source: LocalFileState
        var photo: PreparedPhoto
    }

    /// The latest last.
    private var kept: [Kept] = []

    /// Each takes as much space on the disk as the photo.
    private static let limit = 4

    func keep(_ photo: PreparedPhoto, of id: String, from source: LocalFileState) {
        remove(id)
        kept.append(Kept(id: id, source: source, photo: photo))
        if kept.count > Self.limit { kept.removeFirst() }
    }

    /// - Returns: Nil if it was not kept, or the file has changed since.
    func photo(of id: String, from source: LocalFileState) -> PreparedPhoto? {
        kept.first { $0.id == id && $0.source == source }?.photo
    }

    func remove(_ id: String) { kept.removeAll { $0.id == id } }
}
