import FoundationEssentials
import Synchronization

extension WebDAVStore {
    @concurrent public func changes(since cursor: Cursor) async throws(StoreError) -> Listing {
        let old = try snapshots.find(cursor, during: .changes)
        var reported = try await reportedSnapshot(since: old)
        if reported == nil { reported = try await takeSnapshotAgain(old, during: .changes) }
        let new = reported ?? old
        let changes = old.changes(to: new)
        return Listing(entries: changes, cursor: snapshots.keep(new))
    }

    @concurrent public func waitForChanges(
        after cursor: Cursor, atMost longest: Duration
    ) async throws(StoreError) -> Bool {
        try await PollTimeout.wait(atMost: longest) { [self] () throws(StoreError) in
            try await poll(cursor, atMost: longest)
        } == .changes
    }
}

extension WebDAVStore {
    /// Polls repeatedly. The first poll is mostly immediate: see ``PollingInterval/delay(after:at:)``.
    private func poll(
        _ cursor: Cursor, atMost longest: Duration
    ) async throws(StoreError) -> PollResult {
        var waited = Duration.zero
        var interval = pace.withLock { $0.delay(after: cursor) }
        while true {
            guard waited + interval < longest else {
                try await configuration.clock.wait(
                    longest - waited, during: .waitForChanges, at: nil)
                return .nothing
            }
            if interval > .zero {
                try await configuration.clock.wait(interval, during: .waitForChanges, at: nil)
                waited += interval
            }
            if case .changes = try await pollOnce(cursor) {
                pace.withLock { $0.foundSomething(after: cursor) }
                return .changes
            }
            interval = pace.withLock { pace in
                defer { pace.foundNothing() }
                return pace.current
            }
        }
    }

    /// Polls once, with the cheapest request the server supports: Nextcloud changes the tag of each
    /// folder above a change, and some servers have sync tokens (RFC 6578).
    private func pollOnce(_ cursor: Cursor) async throws(StoreError) -> PollResult {
        var snapshot = try snapshots.find(cursor, during: .waitForChanges)
        if nextcloud != nil || countsChanges.withLock({ $0 }) != false {
            let now = try await folderState(of: snapshot.folder, during: .waitForChanges)
            countsChanges.withLock { $0 = now?.syncToken != nil }
            if let token = snapshot.syncToken {
                return now?.syncToken != token ? .changes : .nothing
            }
            if nextcloud != nil, let tag = snapshot.tag {
                return now?.etag.flatMap(EntityTag.init) != tag ? .changes : .nothing
            }
            snapshot.syncToken = now?.syncToken
        }
        let now = try await takeSnapshotAgain(snapshot, during: .waitForChanges)
        guard snapshot.changes(to: now).isEmpty else { return .changes }
        // The sync token was read before: from now on it is sufficient.
        snapshots.replace(cursor, with: snapshot)
        return .nothing
    }

    private func folderState(
        of folder: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) -> Multistatus.Properties? {
        try await ask(
            .propfind(
                address.url(of: folder, isFolder: true), depth: 0,
                properties: "<D:resourcetype/><D:getetag/><D:sync-token/>"),
            during: operation, at: operation == .list ? folder : nil
        ).responses.first?.properties
    }

    /// - Throws: `.cursorReset` when the folder is gone, or a file.
    private func takeSnapshotAgain(
        _ old: WebDAVSnapshot, during operation: StoreError.Operation
    ) async throws(StoreError) -> WebDAVSnapshot {
        do throws(StoreError) {
            return try await takeSnapshot(
                of: old.folder, recursive: old.recursive, during: operation)
        } catch {
            guard error.code == .wrongKind else { throw error }
            throw StoreError(.cursorReset, during: operation, underlying: error)
        }
    }

    /// Lists a folder, and for a recursive listing its subfolders, several at a time.
    ///
    /// - Throws: `.notFound`; `.wrongKind` when it is a file; `.tooLarge` for endless nesting.
    func takeSnapshot(
        of folder: RemotePath, recursive: Bool, during operation: StoreError.Operation
    ) async throws(StoreError) -> WebDAVSnapshot {
        // Read first: changes in between are then reported twice instead of never.
        var token: String?
        if operation == .list || operation == .changes, countsChanges.withLock({ $0 }) == true {
            token = try await folderState(of: folder, during: operation)?.syncToken
        }
        let top = try await entries(of: folder, during: operation)
        var files = top.files.map(\.file)
        var folders = top.folders
        var leftovers = top.leftovers
        var skipped = top.skipped
        if recursive {
            var waiting = top.folders[...]
            let result: Result<Void, StoreError> = await withTaskGroup(
                of: Result<FolderContent, StoreError>.self
            ) { group in
                var running = 0
                while true {
                    while running < configuration.limits.foldersAtOnce,
                        let next = waiting.popFirst()
                    {
                        running += 1
                        group.addTask { await self.contentIfThere(of: next, during: operation) }
                    }
                    guard running > 0, let content = await group.next() else {
                        return .success(())
                    }
                    running -= 1
                    switch content {
                    case .failure(let error):
                        group.cancelAll()
                        return .failure(error)
                    case .success(let content):
                        files += content.files.map(\.file)
                        folders += content.folders
                        leftovers += content.leftovers
                        skipped += content.skipped
                        waiting += content.folders
                    }
                    let depth = (waiting.last?.components.count ?? 0) - folder.components.count
                    guard depth <= Self.depthLimit, folders.count <= Self.folderLimit else {
                        group.cancelAll()
                        return .failure(
                            StoreError(
                                .tooLarge, during: operation, at: folder,
                                detail: "folders without end"))
                    }
                }
            }
            try result.get()
        }
        if operation == .list { removeLeftovers(leftovers) }
        let entries = (folders.map(RemoteEntry.folder) + files.map(RemoteEntry.file))
            .sorted { $0.path < $1.path }
        return WebDAVSnapshot(
            folder: folder, recursive: recursive, entries: entries, skipped: skipped.sorted(),
            tag: top.tag, syncToken: token)
    }

    /// A link to a parent folder recurses forever.
    private static let depthLimit = 100
    private static let folderLimit = 50_000

    /// Empty for a folder that has been removed.
    private func contentIfThere(
        of folder: RemotePath, during operation: StoreError.Operation
    ) async -> Result<FolderContent, StoreError> {
        do throws(StoreError) {
            return .success(try await entries(of: folder, during: operation))
        } catch {
            switch error.code {
            case .notFound, .wrongKind, .cursorReset: return .success(FolderContent())
            default: return .failure(error)
            }
        }
    }
}
