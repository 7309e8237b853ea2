package import ClubStore
package import FoundationEssentials

/// The trash for photos of a club whose store keeps no revisions. A deleted photo gets a hidden name in the
/// same folder: its bytes are not transferred, and every member's program can tell when it expires.
///
/// Names are `.deleted 20261123T140501Z sea.jpg`: the time in UTC, by the server's clock if known. Where the server
/// lists no such names, they begin with `byteclub-deleted` instead.
package enum PhotoTrash {
    /// How long a deleted photo is kept.
    package static let age: TimeInterval = 30 * 86_400

    private static let prefix = ".deleted "
    private static let listedPrefix = "byteclub-deleted "

    /// The name of a deleted photo.
    ///
    /// - Parameter isHidden: False where listings leave out names that begin with a dot.
    package static func name(of photo: String, at date: Date, isHidden: Bool = true) -> String {
        let prefix = isHidden ? prefix : listedPrefix
        let digits = date.formatted(stamp)
        var rest = photo[...]
        while rest.utf8.count + prefix.utf8.count + digits.utf8.count + 1 > 255 {
            rest.removeFirst()
        }
        return "\(prefix)\(digits) \(rest)"
    }

    /// When a photo was deleted; nil for another file.
    package static func date(of name: String) -> Date? {
        rest(of: name).flatMap { try? stamp.parse(String($0.prefix { $0 != " " })) }
    }

    /// The path of a photo before its deletion.
    static func originalPath(of place: RemotePath) -> RemotePath? {
        let words = rest(of: place.name)?.split(separator: " ", maxSplits: 1)
        guard let words, words.count == 2 else { return nil }
        return try? (place.parent ?? .root).appending(String(words[1]))
    }

    /// What follows the prefix; nil for a name without one.
    private static func rest(of name: String) -> Substring? {
        [prefix, listedPrefix].first { name.hasPrefix($0) }.map { name.dropFirst($0.count) }
    }

    private static var stamp: Date.ISO8601FormatStyle {
        Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day()
            .dateSeparator(.omitted).dateTimeSeparator(.standard)
            .time(includingFractionalSeconds: false).timeSeparator(.omitted)
            .timeZone(separator: .omitted)
    }

    /// Moves a photo to the trash, if it has not changed.
    ///
    /// - Returns: The photo under its new name.
    /// - Throws: As ``RemoteStore/move(_:to:)`` does; `.conflict` also if it has changed.
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
        let isHidden = await store.probeHiddenNames() == .listed
        for second in 0... {
            let name = Self.name(
                of: photo.name, at: date.addingTimeInterval(Double(second)), isHidden: isHidden)
            do throws(StoreError) {
                let entry = try await store.move(photo.path, to: folder.appending(name))
                return try entry.requireFile(during: .delete)
            } catch {
                // Another one with this name was deleted in the same second.
                guard error.isConflict, second < 20 else { throw error }
            }
        }
        throw StoreError(.conflict(serverRevision: nil), during: .delete, at: photo.path)
    }

    /// Restores a photo to its path, or beside the file that has its name now.
    ///
    /// - Throws: `.notFound` if it is no longer in the trash.
    @concurrent package static func restore(
        _ kept: RemotePath, to path: RemotePath, in store: any RemoteStore
    ) async throws(StoreError) -> RemoteFile {
        var (goal, taken) = (path, Set<String>())
        while true {
            do throws(StoreError) {
                let entry = try await store.move(kept, to: goal)
                return try entry.requireFile(during: .move)
            } catch {
                guard error.isNameTaken, taken.count < 99 else { throw error }
                taken.insert(goal.name)
                let free = PhotoName.free(like: path.name) { taken.contains($0) }
                goal = try (path.parent ?? .root).appending(free)
            }
        }
    }
}

extension PhotoTrash {
    /// Restores the last deleted photo with a name, beside the file that has its name now.
    ///
    /// - Parameters:
    ///   - revision: Another one than the last, as it was when it was deleted.
    ///   - byteCount: Its length, if known.
    /// - Throws: `.notFound` if none is kept; `.conflict` if the club has only this one, as it was.
    @concurrent package static func restoreLast(
        _ path: RemotePath, revision: Revision? = nil, byteCount: Int64? = nil,
        in store: any RemoteStore
    ) async throws(StoreError) -> RemoteFile {
        var there: RemoteFile?
        if let keeper = try await store.trashStore,
            let history = try await history(of: path, in: keeper)
        {
            there = history.isDeleted ? nil : history.revisions.first
            let deleted = history.revisions.filter { state in
                there.map { $0.revision != state.revision && !$0.hasSameBytes(as: state) } ?? true
            }
            if let wanted = try await choose(
                revision, byteCount, among: deleted, of: path, isDeleted: there == nil, in: keeper)
            {
                return try await restore(path, in: keeper, to: wanted)
            }
        }
        // Also if the store keeps revisions: it may not have done so when the photo was deleted.
        let kept = try await store.list(path.parent ?? .root, recursive: false).files
            .filter { isKept($0, of: path) && (revision ?? $0.revision) == $0.revision }
            .max { (date(of: $0.name) ?? .distantPast) < (date(of: $1.name) ?? .distantPast) }
        guard let kept else {
            throw StoreError(
                there.map { .conflict(serverRevision: $0.revision) } ?? .notFound, during: .move,
                at: path)
        }
        return try await restore(kept.path, to: path, in: store)
    }

    /// The revision to restore: nil if the store keeps none.
    private static func choose(
        _ revision: Revision?, _ byteCount: Int64?, among deleted: [RemoteFile],
        of path: RemotePath, isDeleted: Bool, in keeper: any RevisionStore
    ) async throws(StoreError) -> Revision? {
        if let revision, deleted.contains(where: { $0.revision == revision }) { return revision }
        // Its trash has revisions of its own, and its versions of a file are not what was deleted.
        if !keeper.keepsEveryState, revision != nil ? byteCount != nil : !isDeleted {
            do throws(StoreError) {
                return try await keeper.keptRevision(
                    of: path, revision ?? Revision(rawValue: ""), byteCount: byteCount)
            } catch {
                guard error.code == .notFound else { throw error }
                return nil
            }
        }
        return revision == nil ? deleted.first?.revision : nil
    }

    /// Whether a photo with this name was deleted and can be restored.
    @concurrent package static func keeps(
        _ path: RemotePath, in store: any RemoteStore
    ) async throws(StoreError) -> Bool {
        do throws(StoreError) {
            if let keeper = try await store.trashStore,
                let history = try await history(of: path, in: keeper),
                !history.revisions.isEmpty
            {
                return history.isDeleted
            }
            let files = try await store.list(path.parent ?? .root, recursive: false).files
            return files.contains { isKept($0, of: path) }
        } catch {
            guard error.code == .notFound else { throw error }
            return false
        }
    }

    /// Those of some deleted photos that are still kept by the store; all of them if it cannot be asked.
    @concurrent package static func kept(
        _ photos: [RemoteFile], in keeper: any RevisionStore
    ) async -> [RemoteFile] {
        var known: [RemotePath: Set<Revision>] = [:]
        for path in Set(photos.map(\.path)) {
            do throws(StoreError) {
                let history = try await history(of: path, in: keeper)
                known[path] = Set((history?.revisions ?? []).map(\.revision))
            } catch {
                return photos
            }
        }
        return photos.filter { known[$0.path]?.contains($0.revision) ?? true }
    }

    private static func isKept(_ file: RemoteFile, of path: RemotePath) -> Bool {
        guard let date = date(of: file.name) else { return false }
        return [true, false].contains { name(of: path.name, at: date, isHidden: $0) == file.name }
    }

    /// Restores a photo in the store, without transferring its bytes; or beside a file that has its name now, with
    /// its bytes transferred.
    @concurrent package static func restore(
        _ path: RemotePath, _ revision: Revision, byteCount: Int64?, in store: any RemoteStore
    ) async throws(StoreError) -> RemoteFile {
        guard let keeper = try await store.trashStore else {
            throw StoreError(.notFound, during: .put, at: path)
        }
        let kept = try await keeper.keptRevision(of: path, revision, byteCount: byteCount)
        return try await restore(path, in: keeper, to: kept)
    }

    /// What the store keeps of a path; nil for nothing.
    private static func history(
        of path: RemotePath, in keeper: any RevisionStore
    ) async throws(StoreError) -> RevisionHistory? {
        do throws(StoreError) {
            return try await keeper.revisions(of: path, limit: 100)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    private static func restore(
        _ path: RemotePath, in keeper: any RevisionStore, to revision: Revision
    ) async throws(StoreError) -> RemoteFile {
        do throws(StoreError) {
            _ = try await keeper.metadata(of: path)
        } catch {
            guard error.code == .notFound else { throw error }
            return try await keeper.restore(path, to: revision)
        }
        // Stores restore a file only to its own path.
        let data = try await keeper.fetch(path, revision: revision).data
        var taken: Set<String> = [path.name]
        while true {
            let free = PhotoName.free(like: path.name) { taken.contains($0) }
            do throws(StoreError) {
                return try await keeper.put(
                    data, at: (path.parent ?? .root).appending(free), mode: .create)
            } catch {
                guard error.isNameTaken, taken.count < 99 else { throw error }
                taken.insert(free)
            }
        }
    }
}

extension ClubContents {
    /// Whether the club has a deleted file again, as it was: under its name, or if another one has that, elsewhere.
    package func has(again deleted: RemoteFile) -> Bool {
        guard let there = self[deleted.path] else { return false }
        if there.hasSameBytes(as: deleted) { return true }
        guard let hash = deleted.contentHash else { return false }
        return allFiles.contains { $0.contentHash == hash }
    }

    /// The photos in the trash: original file, time of deletion, and current path.
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

    /// Expired photos in the trash, a few at a time.
    package func expiredPhotos(at now: Date) -> [RemoteFile] {
        let limit = now.addingTimeInterval(-PhotoTrash.age)
        let expired = allFiles.filter { file in
            Self.isInPhotosFolder(file.path)
                && PhotoTrash.date(of: file.name).map { $0 < limit } ?? false
        }
        return Array(expired.sorted { $0.name < $1.name }.prefix(20))
    }
}
