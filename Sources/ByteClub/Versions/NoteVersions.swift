internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials

/// A version of a note, from this computer or the club.
struct NoteVersion: Sendable, Hashable {
    var file: RemoteFile
    /// Where its bytes are stored.
    var source: Source
    /// Whether it was written on this computer, as far as known.
    var isOwn: Bool

    enum Source: Sendable, Hashable {
        case here(SeenVersion.ID)
        case club(Revision)
    }
}

/// A note's versions: the club's own if it keeps them, and those that this computer has seen.
@MainActor struct NoteVersions {
    let club: Club
    let path: RemotePath

    /// Newest first; each text once.
    func list() async -> [NoteVersion] {
        let path = path
        let seen = await club.local?.run { try $0.versions(of: path) } ?? []
        var versions = seen.map {
            NoteVersion(file: $0.file, source: .here($0.id), isOwn: $0.isOwn)
        }
        if !club.isOffline,
            let kept = try? await club.perform({ store throws(StoreError) in
                guard let store = try await store.revisionStore else { return [RemoteFile]() }
                return try await store.revisions(of: path, limit: 100).revisions
            })
        {
            let known = Set(seen.map(\.file.revision))
            versions += kept.filter { !known.contains($0.revision) && !isSeen($0, among: seen) }.map
            {
                NoteVersion(file: $0, source: .club($0.revision), isOwn: false)
            }
        }
        versions.sort { $0.file.modified > $1.file.modified }
        // The same text with two revision identifiers is listed once.
        var hashes: Set<String> = []
        return versions.filter { version in
            version.file.contentHash.map { hashes.insert($0).inserted } ?? true
        }
    }

    /// Whether a state without a hash is one that was seen here under another revision: Nextcloud does not say
    /// which tag a version had.
    private func isSeen(_ file: RemoteFile, among seen: [SeenVersion]) -> Bool {
        file.contentHash == nil
            && seen.contains {
                $0.file.byteCount == file.byteCount
                    && abs($0.file.modified.timeIntervalSince(file.modified)) < 1
            }
    }

    /// The bytes of a version; if fetched from the club, they are stored here, too.
    func text(of version: NoteVersion) async throws(StoreError) -> Data {
        let path = path
        switch version.source {
        case .here(let id):
            guard let data = await club.local?.run({ try $0.text(ofVersion: id) }) ?? nil else {
                throw StoreError(.notFound, during: .fetch, at: path)
            }
            return data
        case .club(let revision):
            let found = try await club.perform { store throws(StoreError) in
                guard let store = try await store.revisionStore else {
                    throw StoreError(.notFound, during: .fetch, at: path)
                }
                return try await store.fetch(path, revision: revision)
            }
            return found.data
        }
    }
}
