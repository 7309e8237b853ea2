import ByteClub
import ClubStore
import Messages

/// The notes that a command names, found before it changes any of them: of two names that differ in case alone, the
/// club shows one in another way when the other one leaves.
enum NamedNotes {
    /// - Returns: What each name means; nil for what is to be found, or not, when its turn comes, as a single one is.
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

    /// A note where it is by now: under the name it had, or, where the club has given that to another one, under the
    /// one that it shows it by instead.
    ///
    /// - Parameter operation: What it is wanted for.
    /// - Throws: `.conflict` when it has changed since.
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

    /// - Returns: nil when nothing is there.
    static func there(
        _ path: RemotePath, in store: any RemoteStore
    ) async throws(StoreError) -> RemoteFile? {
        do throws(StoreError) {
            return try await store.metadata(of: path)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    /// What files have in common that differ in case or normalization alone.
    private static func plainName(_ file: RemoteFile) -> String {
        file.name.replacing(#/ \(Case Conflict( \d+)?\)/#, with: "").lowercased()
    }
}
