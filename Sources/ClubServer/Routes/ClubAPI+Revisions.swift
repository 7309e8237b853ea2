import DropboxAPI

extension ClubAPI {
    func addRevisionRoutes(to router: inout Router) {
        router.on(Routes.listRevisions) { argument, _ in try await revisions(argument) }
        router.on(Routes.restore) { argument, _ in try await restore(argument) }
    }

    // MARK: - Listing

    private func revisions(_ argument: ListRevisionsArg) async throws -> ListRevisionsResult {
        if argument.beforeRevision != nil, argument.mode == .id {
            throw ListRevisionsError.beforeRevisionNotSupported
        }
        var current: Entry?
        do throws(LookupError) {
            current = try await club.findFile(argument.path).entry
        } catch {
            if error != .notFound { throw ListRevisionsError.path(error) }
        }
        var history = await history(of: current, argument)
        guard current != nil || !history.isEmpty else { throw ListRevisionsError.path(.notFound) }
        let isCurrentListed = argument.beforeRevision == nil && current != nil
        if let revision = argument.beforeRevision, revision != current?.facts?.revision {
            guard let position = history.firstIndex(where: { $0.revision == revision }) else {
                throw ListRevisionsError.invalidBeforeRevision
            }
            history.removeFirst(position + 1)
        }
        var entries: [FileMetadata] = []
        if isCurrentListed, let current {
            entries.append(await club.fileMetadata(of: await hash(current) ?? current))
        }
        let page = history.prefix(Int(argument.limit) - entries.count)
        for kept in page { entries.append(fileMetadata(of: kept)) }
        if argument.includeRestorableInfo {
            for position in entries.indices { entries[position].isRestorable = true }
        }
        let latest = isCurrentListed ? nil : history.first
        let isDeleted =
            argument.beforeRevision == nil ? current == nil : latest?.ending == .deleted
        return ListRevisionsResult(
            isDeleted: isDeleted,
            serverDeleted: isDeleted && latest?.ending == .deleted ? latest?.kept : nil,
            entries: entries, hasMore: page.count < history.count)
    }

    /// The earlier revisions of the file that a path or an identifier names, or last named; latest
    /// first.
    private func history(of current: Entry?, _ argument: ListRevisionsArg) async -> [KeptRevision] {
        guard let store = club.revisions else { return [] }
        var id = current?.id
        var key = current?.key
        if current == nil {
            if argument.path.hasPrefix("id:") {
                id = argument.path
                key = store.history(id: argument.path).first?.key
            } else {
                key = ClubFolder.key(of: argument.path)
                id = key.flatMap { store.history(key: $0).first?.id }
            }
        }
        let history =
            argument.mode == .id
            ? id.map(store.history(id:)) : key.map(store.history(key:))
        return (history ?? []).filter { $0.revision != current?.facts?.revision }
    }

    // MARK: - One of them

    /// The metadata for a `rev:` path of an earlier revision; nil for other paths.
    func keptRevision(_ path: String) -> FileMetadata? {
        guard path.hasPrefix("rev:"),
            let opened = club.revisions?.open(String(path.dropFirst(4)))
        else { return nil }
        return fileMetadata(of: opened.revision)
    }

    func fileMetadata(of kept: KeptRevision) -> FileMetadata {
        let kept = kept.facts.contentHash == nil ? hashed(kept) : kept
        return FileMetadata(
            name: kept.name, pathLower: kept.key, pathDisplay: kept.path, id: kept.id,
            clientModified: kept.facts.clientModified
                ?? Timestamp(secondsSince1970: kept.facts.signature.seconds),
            serverModified: kept.facts.serverModified, revision: kept.revision,
            size: UInt64(kept.byteCount), contentHash: kept.facts.contentHash)
    }

    /// A revision without a hash was put there by hand.
    private func hashed(_ kept: KeptRevision) -> KeptRevision {
        guard kept.byteCount <= Self.hashingByteLimit,
            let opened = club.revisions?.open(kept.revision),
            let hash = try? FileReader.contentHash(of: opened.file, expecting: kept.blob)
        else { return kept }
        club.revisions?.note(hash, of: kept.revision)
        var kept = kept
        kept.facts.contentHash = hash
        return kept
    }

    /// Above this size a request does not wait for the hash.
    private static let hashingByteLimit: Int64 = 64 << 20

    /// The tombstone of a path or an identifier.
    func deleted(_ path: String) async -> DeletedMetadata? {
        var key = ClubFolder.key(of: path)
        if path.hasPrefix("id:") { key = club.revisions?.history(id: path).first?.key }
        guard let key, let trace = await club.index.tombstones[key] else { return nil }
        return DeletedMetadata(name: trace.name, pathLower: trace.key, pathDisplay: trace.path)
    }

    // MARK: - Bringing one back

    private func restore(_ argument: RestoreArg) async throws -> FileMetadata {
        var current: Entry?
        var lookup: LookupError?
        do throws(LookupError) {
            current = try await club.findFile(argument.path).entry
        } catch {
            lookup = error
        }
        if let current, current.facts?.revision == argument.revision {
            return await club.fileMetadata(of: await hash(current) ?? current)
        }
        guard let opened = club.revisions?.open(argument.revision) else {
            guard let lookup else { throw RestoreError.invalidRevision }
            let isKnown =
                lookup == .notFound
                && ClubFolder.key(of: argument.path).map {
                    club.revisions?.history(key: $0).isEmpty == false
                } == true
            throw isKnown ? RestoreError.invalidRevision : RestoreError.pathLookup(lookup)
        }
        let restoration = ClubFolder.Restoration(
            path: PathNames.key(argument.path), revision: argument.revision)
        if await club.begin(restoration) == .inProgress { throw RestoreError.inProgress }
        do {
            let file = try await bringBack(opened.revision, opened.file, to: argument.path)
            await club.end(restoration)
            return file
        } catch {
            await club.end(restoration)
            throw error
        }
    }

    /// Restores a revision to a path as the latest, like an upload of it.
    private func bringBack(
        _ kept: KeptRevision, _ blob: borrowing Descriptor, to path: String
    ) async throws -> FileMetadata {
        let file: StagedFile
        do throws(SystemError) {
            file = try StagedFile(in: club.access)
            try await expect(UInt64(kept.byteCount), for: file, restoring: kept.revision)
            try FileReader.forEachPiece(of: blob) { piece throws(SystemError) in
                try file.append(piece)
            }
        } catch {
            switch WriteError.failure(error) {
            case .refused(let refusal): throw RestoreError.pathWrite(refusal)
            case .disk(let error): throw error
            }
        }
        // Bytes that have changed, whatever the disk did to them, are not this revision.
        let hash = try file.contentHash()
        guard try FileStatus.of(blob).signature == kept.blob,
            kept.facts.contentHash.map({ $0 == hash }) ?? true
        else { throw RestoreError.invalidRevision }
        return try await change { () async throws(ChangeFailure<WriteError>) in
            try await commit(
                file,
                as: CommitInfo(
                    path: path, mode: .overwrite,
                    clientModified: kept.facts.clientModified
                        ?? Timestamp(secondsSince1970: kept.facts.signature.seconds)),
                id: kept.id)
        } refusal: {
            RestoreError.pathWrite($0)
        }
    }
}

extension ClubFolder {
    /// The key of a path, whether or not anything is there; nil for an invalid path.
    static func key(of path: String) -> String? {
        var path = path
        if path.hasPrefix("ns:\(namespace)/") { path.removeFirst(3 + namespace.count) }
        return PathNames.components(of: path)?.map { "/" + PathNames.key($0) }.joined()
    }

    enum RestorationStart { case begun, inProgress }

    /// Starts restoring a revision, unless that is already in progress.
    func begin(_ restoration: Restoration) -> RestorationStart {
        restoring.insert(restoration).inserted ? .begun : .inProgress
    }

    func end(_ restoration: Restoration) { restoring.remove(restoration) }
}
