import ClubStore
import ByteClubMessages

/// Finds all named notes before a command changes any of them: if two names differ only in case, the club
/// changes how it shows one when the other is removed.
enum NamedNotes {
    /// - Returns: The note for each name; nil for one that is looked up later, like a single one.
    static func find(
        _ names: [String], in store: any RemoteStore
    ) async throws -> [(name: String, file: RemoteFile?)] {
        guard names.count > 1 else { return names.map { ($0, nil) } }
        var found: [(name: String, file: RemoteFile?)] = []
        for name in names {
            do {
                found.append((name, try await NotePaths.find(name, in: store)))
            } catch is CommandFailure {
                found.append((name, nil))
            }
        }
        return found
    }

    /// A note's current file: under its name or, if the club has given that to another one, under the name by
    /// which it is now shown.
    ///
    /// - Parameter operation: The operation for errors.
    /// - Throws: `.conflict` if it has changed.
    static func current(
        _ file: RemoteFile, named name: String, in store: any RemoteStore,
        during operation: StoreError.Operation
    ) async throws -> RemoteFile {
        let there = try await there(file.path, in: store)
        if let there, there.revision == file.revision { return there }
        if let hash = file.contentHash, let folder = file.path.parent {
            let shown = try await store.list(folder, recursive: false).entries.compactMap(\.file)
                .first {
                    $0.revision == file.revision && $0.contentHash == hash
                        && plainName($0) == plainName(file)
                }
            if let shown { return shown }
        }
        guard let there else {
            throw CommandFailure(localized("There is no note “\(name)” in the club."))
        }
        throw StoreError(
            .conflict(serverRevision: there.revision), during: operation, at: file.path)
    }

    /// - Returns: nil if there is no file.
    static func there(
        _ path: RemotePath, in store: any RemoteReading
    ) async throws(StoreError) -> RemoteFile? {
        do throws(StoreError) {
            return try await store.metadata(of: path)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    /// The common form of names that differ only in case or normalization.
    private static func plainName(_ file: RemoteFile) -> String {
        file.name.replacing(#/ \(Case Conflict( \d+)?\)/#, with: "").lowercased()
    }
}
