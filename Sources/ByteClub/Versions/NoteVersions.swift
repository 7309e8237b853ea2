internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials

/// One text that a note has had, here or in the club.
struct NoteVersion: Sendable, Hashable {
    var file: RemoteFile
    /// Where its bytes are.
    var source: Source
    /// Whether it was written on this computer, as far as that is known.
    var isOwn: Bool

    enum Source: Sendable, Hashable {
        case here(SeenVersion.ID)
        case club(Revision)
    }
}

/// What a note has been: the club's own record of it where it keeps one, and what this machine has seen.
@MainActor struct NoteVersions {
    let club: Club
    let path: RemotePath

    /// The newest first; each text once.
    func list() async -> [NoteVersion] {
        let path = path
        let seen = await club.local?.run { try $0.versions(of: path) } ?? []
        var versions = seen.map {
            NoteVersion(file: $0.file, source: .here($0.id), isOwn: $0.isOwn)
        }
        if !club.isOffline,
            let kept = try? await club.perform({ store throws(StoreError) in
                guard let store = store.revisionStore else { return [RemoteFile]() }
                return try await store.revisions(of: path, limit: 100).revisions
            })
        {
            let known = Set(seen.map(\.file.revision))
            versions += kept.filter { !known.contains($0.revision) }.map {
                NoteVersion(file: $0, source: .club($0.revision), isOwn: false)
            }
        }
        versions.sort { $0.file.modified > $1.file.modified }
        // The same text under two names of its state is one.
        var hashes: Set<String> = []
        return versions.filter { version in
            version.file.contentHash.map { hashes.insert($0).inserted } ?? true
        }
    }

    /// The bytes of a version; what comes from the club is kept here too.
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
                guard let store = store.revisionStore else {
                    throw StoreError(.notFound, during: .fetch, at: path)
                }
                return try await store.fetch(path, revision: revision)
            }
            return found.data
        }
    }
}
