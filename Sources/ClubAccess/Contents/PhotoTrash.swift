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

extension ClubContents {
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
