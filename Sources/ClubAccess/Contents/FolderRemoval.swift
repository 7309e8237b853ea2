public import ClubStore

/// Removes a folder that has no files in it.
public enum FolderRemoval {
    /// Removes an empty folder, and the empty folders in it.
    ///
    /// Where deleted files are lost, another member's file that arrives between the look into the folder and its removal
    /// would go with it. There the folder is moved aside first, so that nothing more arrives, and is looked into once
    /// more. A program that ends in between leaves it in sight under the other name.
    ///
    /// - Throws: `.conflict` if it has files that the club shows; `.notEmpty` if it has others. In
    ///   both cases it is at its place with all that was in it, or beside it if the name was taken meanwhile.
    @concurrent public static func remove(
        _ path: RemotePath, in store: any RemoteStore
    ) async throws(StoreError) {
        try await checkIsEmpty(path, in: store, reportedAs: path)
        guard store.isKnownToKeepDeletedFiles != true, let parent = path.parent else {
            return try await store.delete(path)
        }
        // A task of its own: cancelled in between, the folder would stay under the other name.
        try await Task { () -> Result<Void, StoreError> in
            do throws(StoreError) {
                return .success(try await removeAside(path, in: parent, of: store))
            } catch {
                return .failure(error)
            }
        }.value.get()
    }

    private static func removeAside(
        _ path: RemotePath, in parent: RemotePath, of store: any RemoteStore
    ) async throws(StoreError) {
        guard let aside = try await moveAside(path, in: parent, of: store) else {
            // The attempt has taken time.
            try await checkIsEmpty(path, in: store, reportedAs: path)
            return try await store.delete(path)
        }
        do throws(StoreError) {
            try await checkIsEmpty(aside, in: store, reportedAs: path)
            try await store.delete(aside)
        } catch {
            // If its name is taken by now, it stays in sight where it is.
            _ = try? await store.move(aside, to: path)
            throw error
        }
    }

    private static func checkIsEmpty(
        _ folder: RemotePath, in store: any RemoteStore, reportedAs path: RemotePath
    ) async throws(StoreError) {
        let listing = try await store.list(folder, recursive: true)
        guard listing.files.isEmpty, listing.skipped.isEmpty else {
            let isShown = listing.files.contains { !ClubContents.isHidden($0.path) }
            throw StoreError(
                isShown ? .conflict(serverRevision: nil) : .notEmpty, during: .delete, at: path)
        }
    }

    /// How many names are tried: one may be left from a program that was stopped.
    private static let nameCount = 5

    /// - Returns: Where the folder is now; nil if this server cannot move it there.
    private static func moveAside(
        _ path: RemotePath, in parent: RemotePath, of store: any RemoteStore
    ) async throws(StoreError) -> RemotePath? {
        // A server that does not store every name as it is sent refuses both ways or none: the name is part of it.
        let stem = path.name + "-being-deleted"
        var number = 1
        while true {
            do throws(StoreError) {
                let aside = try parent.appending(number == 1 ? stem : "\(stem)-\(number)")
                try await store.move(path, to: aside)
                return aside
            } catch {
                switch error.code {
                case .conflict where number < nameCount: number += 1
                case .nameNotAllowed, .refused, .forbidden, .badRequest, .conflict: return nil
                default:
                    var error = error
                    error.operation = .delete
                    error.path = path
                    throw error
                }
            }
        }
    }
}
