internal import ClubAccess
internal import ClubStore
internal import FoundationEssentials

/// The seen files of folders that were moved or renamed here; they stay seen at their new places.
struct MovedFiles {
    /// As they were before the move, by their new paths.
    private var files: [RemotePath: RemoteFile] = [:]

    /// A file that is listed at its new place.
    struct Arrival {
        var file: RemoteFile
        var before: RemoteFile

        /// Some clubs give a moved file another revision.
        var isUnchanged: Bool { file.isSameText(as: before) }
    }

    mutating func add(_ file: RemoteFile, movedTo path: RemotePath) { files[path] = file }

    /// Removes and returns those that are in the club's listing.
    mutating func takeArrivals(in contents: ClubContents) -> [Arrival] {
        let arrived = files.compactMap { path, before in
            contents[path].map { Arrival(file: $0, before: before) }
        }
        for arrival in arrived { files[arrival.file.path] = nil }
        return arrived
    }
}

extension RemoteFile {
    /// Whether a moved file has the bytes it had before, as far as a listing tells.
    fileprivate func isSameText(as other: RemoteFile) -> Bool {
        if revision == other.revision { return true }
        if let contentHash, let hash = other.contentHash { return contentHash == hash }
        return byteCount == other.byteCount && modified == other.modified
    }
}
