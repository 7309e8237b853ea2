import ClubLibrary
import ClubStore
import FoundationEssentials

/// The earlier states of notes in a club whose store does not keep all of them, with those that this computer has
/// seen.
struct KeptAndSeenRevisions: RevisionKeeping {
    let kept: any RevisionStore
    let seen: SeenRevisions

    @concurrent func revisions(
        of path: RemotePath, limit: Int
    ) async throws(StoreError) -> RevisionHistory {
        let histories = [
            try await history(of: path, in: kept), try await history(of: path, in: seen),
        ].compactMap(\.self)
        guard let first = histories.first else {
            throw StoreError(.notFound, during: .metadata, at: path)
        }
        var revisions: [RemoteFile] = []
        for file in histories.flatMap(\.revisions)
        where !revisions.contains(where: { Self.areSameState($0, file) }) {
            revisions.append(file)
        }
        let current = first.isDeleted ? [] : revisions.prefix(1)
        let others = revisions.dropFirst(current.count).sorted { $0.modified > $1.modified }
        return RevisionHistory(
            isDeleted: first.isDeleted, revisions: Array((current + others).prefix(limit)))
    }

    @concurrent func fetch(
        _ path: RemotePath, revision: Revision
    ) async throws(StoreError) -> (file: RemoteFile, data: Data) {
        do throws(StoreError) {
            return try await kept.fetch(path, revision: revision)
        } catch {
            guard error.code == .notFound else { throw error }
            return try await seen.fetch(path, revision: revision)
        }
    }

    /// What is replaced is kept here first: the store may thin it out.
    @concurrent func restore(
        _ path: RemotePath, to revision: Revision
    ) async throws(StoreError) -> RemoteFile {
        do throws(StoreError) {
            _ = try await kept.metadata(of: path)
        } catch {
            guard error.code == .notFound else { throw error }
            do throws(StoreError) {
                return try await kept.restore(path, to: revision)
            } catch {
                guard error.code == .notFound else { throw error }
                return try await seen.restore(path, to: revision)
            }
        }
        return try await seen.write(fetch(path, revision: revision).data, at: path)
    }

    private func history(
        of path: RemotePath, in keeper: any RevisionKeeping
    ) async throws(StoreError) -> RevisionHistory? {
        do throws(StoreError) {
            return try await keeper.revisions(of: path, limit: 100)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    /// Whether this computer has seen a state under this revision: a list may have it under the club's own
    /// name for it.
    @concurrent func hasSeen(
        _ revision: Revision, of path: RemotePath
    ) async throws(StoreError) -> Bool {
        try await history(of: path, in: seen)?.revisions.contains { $0.revision == revision }
            ?? false
    }

    /// The same state may have one revision here and another one there. Of two texts that were read, the bytes
    /// decide.
    private static func areSameState(_ one: RemoteFile, _ other: RemoteFile) -> Bool {
        if one.revision == other.revision { return true }
        if let hash = one.contentHash, let otherHash = other.contentHash, hash != otherHash {
            return false
        }
        return one.byteCount == other.byteCount
            && abs(one.modified.timeIntervalSince(other.modified)) < 1
    }
}
