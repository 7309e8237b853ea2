package import ClubStore
package import FoundationEssentials

/// The trash for photos of a club whose store keeps no revisions: a deleted photo gets a hidden name beside the
/// others, so that not a byte of it travels, and every member's program can tell when it is to go.
///
/// Names are `.deleted 20261123T140501Z sea.jpg`: the time in UTC, by the server's clock where that is known.
package enum PhotoTrash {
    /// How long a deleted photo is kept.
    package static let age: TimeInterval = 30 * 86_400

    private static let prefix = ".deleted "

    /// The name that a photo gets when it is deleted.
    package static func name(of photo: String, at date: Date) -> String {
        let digits = date.formatted(stamp)
        var rest = photo[...]
        while rest.utf8.count + prefix.utf8.count + digits.utf8.count + 1 > 255 {
            rest.removeFirst()
        }
        return "\(prefix)\(digits) \(rest)"
    }

    /// When a photo was deleted; nil for another file.
    package static func date(of name: String) -> Date? {
        guard name.hasPrefix(prefix) else { return nil }
        let digits = name.dropFirst(prefix.count).prefix { $0 != " " }
        return try? stamp.parse(String(digits))
    }

    /// Where a photo was before it was deleted.
    static func originalPath(of place: RemotePath) -> RemotePath? {
        let words = place.name.dropFirst(prefix.count).split(separator: " ", maxSplits: 1)
        guard words.count == 2 else { return nil }
        return try? (place.parent ?? .root).appending(String(words[1]))
    }

    private static var stamp: Date.ISO8601FormatStyle {
        Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day()
            .dateSeparator(.omitted).dateTimeSeparator(.standard)
            .time(includingFractionalSeconds: false).timeSeparator(.omitted)
            .timeZone(separator: .omitted)
    }

    /// Moves a photo into the trash, if it is still as it was seen.
    ///
    /// - Returns: The photo under its new name.
    /// - Throws: As ``RemoteStore/move(_:to:)`` does; `.conflict` also when it has changed.
    @concurrent package static func take(
        _ photo: RemoteFile, in store: any RemoteStore, at now: Date
    ) async throws(StoreError) -> RemoteFile {
        let there = try await store.metadata(of: photo.path)
        let hasOtherBytes =
            if let old = photo.contentHash, let new = there.contentHash { old != new } else {
                false
            }
        guard there.revision == photo.revision, !hasOtherBytes else {
            throw StoreError(
                .conflict(serverRevision: there.revision), during: .delete, at: photo.path)
        }
        let folder = photo.path.parent ?? .root
        let date = now.addingTimeInterval(-(store.clockLead ?? 0))
        for second in 0... {
            let name = Self.name(of: photo.name, at: date.addingTimeInterval(Double(second)))
            do throws(StoreError) {
                let entry = try await store.move(photo.path, to: folder.appending(name))
                if let file = entry.file { return file }
                throw StoreError(.wrongKind, during: .delete, at: photo.path)
            } catch {
                // Another one of this name was deleted in the same second.
                guard case .conflict = error.code, second < 20 else { throw error }
            }
        }
        throw StoreError(.conflict(serverRevision: nil), during: .delete, at: photo.path)
    }

    /// Brings a photo back to where it was, or beside what has its name by now.
    ///
    /// - Throws: `.notFound` when it is in the trash no more.
    @concurrent package static func restore(
        _ kept: RemotePath, to path: RemotePath, in store: any RemoteStore
    ) async throws(StoreError) -> RemoteFile {
        var (goal, taken) = (path, Set<String>())
        while true {
            do throws(StoreError) {
                let entry = try await store.move(kept, to: goal)
                if let file = entry.file { return file }
                throw StoreError(.wrongKind, during: .move, at: goal)
            } catch {
                guard case .conflict = error.code, taken.count < 99 else { throw error }
                taken.insert(goal.name)
                let free = PhotoName.free(like: path.name) { taken.contains($0) }
                goal = try (path.parent ?? .root).appending(free)
            }
        }
    }
}

extension PhotoTrash {
    /// Brings back the photo that was deleted last under a name.
    ///
    /// - Throws: `.notFound` when none is kept; `.conflict` when the club has one of this name and keeps revisions.
    @concurrent package static func restoreLast(
        _ path: RemotePath, in store: any RemoteStore
    ) async throws(StoreError) -> RemoteFile {
        if let keeper = store.revisionStore {
            let history = try await keeper.revisions(of: path, limit: 1)
            guard let last = history.revisions.first else {
                throw StoreError(.notFound, during: .move, at: path)
            }
            return try await restore(path, last.revision, in: store)
        }
        let kept = try await store.list(path.parent ?? .root, recursive: false).files
            .filter { isKept($0, of: path) }
            .max { $0.name < $1.name }
        guard let kept else { throw StoreError(.notFound, during: .move, at: path) }
        return try await restore(kept.path, to: path, in: store)
    }

    /// Whether a photo of this name was removed and can be brought back.
    @concurrent package static func keeps(
        _ path: RemotePath, in store: any RemoteStore
    ) async throws(StoreError) -> Bool {
        do throws(StoreError) {
            if let keeper = store.revisionStore {
                let history = try await keeper.revisions(of: path, limit: 1)
                return history.isDeleted && !history.revisions.isEmpty
            }
            let files = try await store.list(path.parent ?? .root, recursive: false).files
            return files.contains { isKept($0, of: path) }
        } catch {
            guard error.code == .notFound else { throw error }
            return false
        }
    }

    private static func isKept(_ file: RemoteFile, of path: RemotePath) -> Bool {
        date(of: file.name).map { name(of: path.name, at: $0) } == file.name
    }

    /// Has the store restore a photo, so that its bytes need not travel; not over another photo.
    @concurrent package static func restore(
        _ path: RemotePath, _ revision: Revision, in store: any RemoteStore
    ) async throws(StoreError) -> RemoteFile {
        guard let keeper = store.revisionStore else {
            throw StoreError(.notFound, during: .put, at: path)
        }
        do throws(StoreError) {
            let there = try await store.metadata(of: path)
            throw StoreError(
                .conflict(serverRevision: there.revision), during: .move, at: path)
        } catch {
            guard error.code == .notFound else { throw error }
        }
        return try await keeper.restore(path, to: revision)
    }
}

extension ClubContents {
    /// The photos in the trash: each as it was, when it was deleted, and where it lies now.
    package var photosInTrash: [(photo: RemoteFile, deleted: Date, place: RemotePath)] {
        allFiles.compactMap { file in
            guard Self.isInPhotosFolder(file.path), let date = PhotoTrash.date(of: file.name),
                let path = PhotoTrash.originalPath(of: file.path)
            else { return nil }
            var photo = file
            photo.path = path
            return (photo, date, file.path)
        }
    }

    /// The photos that have been in the trash for too long, a few at a time.
    package func expiredPhotos(at now: Date) -> [RemoteFile] {
        let limit = now.addingTimeInterval(-PhotoTrash.age)
        let expired = allFiles.filter { file in
            Self.isInPhotosFolder(file.path)
                && PhotoTrash.date(of: file.name).map { $0 < limit } ?? false
        }
        return Array(expired.sorted { $0.name < $1.name }.prefix(20))
    }
}
