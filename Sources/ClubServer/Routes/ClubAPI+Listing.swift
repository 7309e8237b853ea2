import DropboxAPI

extension ClubAPI {
    func addListingRoutes(to router: inout Router) {
        router.on(Routes.listFolder) { argument, _ in
            try checkRoot(argument.path, Routes.listFolder.name)
            try await club.applyLatestEvents()
            let cursor = try await club.startListing(argument)
            return try await listing(after: cursor)
        }
        router.on(Routes.listFolderContinue) { argument, _ in
            let cursor = try cursor(argument.cursor, Routes.listFolderContinue.name)
            return try await listing(after: cursor)
        }
        router.on(Routes.getLatestCursor) { argument, _ in
            try checkRoot(argument.path, Routes.getLatestCursor.name)
            var cursor = try await club.startListing(argument)
            cursor.after = nil
            return ListFolderGetLatestCursorResult(cursor: cursor.text)
        }
        router.on(Routes.longpoll) { argument, request in
            let cursor = try cursor(argument.cursor, Routes.longpoll.name)
            return try await longpoll(cursor, seconds: argument.timeout, request)
        }
        router.on(Routes.getMetadata) { argument, _ in
            try await metadata(argument)
        }
    }

    // MARK: - Listing

    private func checkRoot(_ path: String, _ route: String) throws(Refusal) {
        if path == "/" {
            throw badRequest(
                route,
                "request body: path: Specify the root folder as an empty string rather than as \"/\"."
            )
        }
    }

    private func cursor(_ text: String, _ route: String) throws(Refusal) -> ListingCursor {
        guard let cursor = ListingCursor(text) else {
            throw badRequest(route, "Invalid \"cursor\" parameter.")
        }
        return cursor
    }

    private func listing(after cursor: ListingCursor) async throws -> ListFolderResult {
        var page = try await club.page(after: cursor)
        var entries: [Metadata] = []
        entries.reserveCapacity(page.items.count)
        try await addHashes(to: &page)
        for item in page.items {
            switch item {
            case .entry(let entry, let path) where entry.isFolder:
                entries.append(
                    .folder(
                        FolderMetadata(
                            name: entry.name, pathLower: entry.key, pathDisplay: path,
                            id: entry.id)))
            case .entry(let entry, let path):
                entries.append(.file(ClubFolder.fileMetadata(of: entry, path: path)))
            case .gone(let trace):
                entries.append(
                    .deleted(
                        DeletedMetadata(
                            name: trace.name, pathLower: trace.key, pathDisplay: trace.path)))
            }
        }
        return ListFolderResult(
            entries: entries, cursor: page.cursor.text, hasMore: page.hasMore)
    }

    /// The maximum number of bytes to hash for one page. Other entries are listed without a hash,
    /// and get it with a later page.
    private static let hashingByteBudget: Int64 = 64 << 20

    private func addHashes(to page: inout ListingPage) async throws {
        var budget = Self.hashingByteBudget
        for position in page.items.indices {
            guard case .entry(let entry, let path) = page.items[position],
                let facts = entry.facts, facts.contentHash == nil,
                facts.signature.size <= budget
            else { continue }
            budget -= facts.signature.size
            if let hashed = await hash(entry) { page.items[position] = .entry(hashed, path: path) }
        }
    }

    /// The entry with its hash, or nil when the file is unreadable or changing.
    func hash(_ entry: Entry) async -> Entry? {
        guard var facts = entry.facts else { return nil }
        if facts.contentHash != nil { return entry }
        let names = await club.index.diskNames(of: entry.key)
        guard let file = try? club.access.file(names),
            let hash = try? FileReader.contentHash(of: file, expecting: facts.signature)
        else { return nil }
        await club.note(hash, of: entry.key, with: facts.signature)
        facts.contentHash = hash
        return Entry(
            key: entry.key, name: entry.name, diskName: entry.diskName, id: entry.id,
            sequence: entry.sequence, content: .file(facts))
    }

    // MARK: - Waiting

    private func longpoll(
        _ cursor: ListingCursor, seconds: UInt64, _ request: Request
    ) async throws -> ListFolderLongpollResult {
        guard await club.index.canContinue(cursor) else { throw ListFolderLongpollError.reset }
        if request.activity.beginLongPoll() == .busy { throw Refusal.busy }
        let peer = request.peer
        await withTaskGroup { group in
            group.addTask { await club.waitForChanges(cursor) }
            group.addTask { try? await peer.loop.sleep(for: .seconds(Int64(seconds))) }
            group.addTask { try? await peer.waitUntilGone() }
            await group.next()
            group.cancelAll()
        }
        return ListFolderLongpollResult(changes: await club.index.hasChanges(for: cursor))
    }

    // MARK: - One entry

    private func metadata(_ argument: GetMetadataArg) async throws -> Metadata {
        do throws(LookupError) {
            let entry = try await club.find(argument.path)
            let hashed = await hash(entry) ?? entry
            var metadata = await club.metadata(of: hashed)
            if argument.includeMediaInfo, case .file(var file) = metadata {
                file.mediaInfo = await thumbnails.mediaInfo(of: hashed, in: club)
                metadata = .file(file)
            }
            return metadata
        } catch {
            if error == .notFound {
                if let kept = keptRevision(argument.path) { return .file(kept) }
                if argument.includeDeleted, let gone = await deleted(argument.path) {
                    return .deleted(gone)
                }
            }
            throw GetMetadataError.path(error)
        }
    }

    func badRequest(_ route: String, _ problem: String) -> Refusal {
        .badRequest("Error in call to API function \"\(route)\": \(problem)")
    }
}

extension ClubFolder {
    /// The cursor for the start of a listing.
    func startListing(_ argument: ListFolderArg) throws -> ListingCursor {
        do throws(LookupError) {
            let folder = try find(argument.path)
            guard folder.isFolder else { throw .notFolder }
            return index.startCursor(
                folder: folder.key, isRecursive: argument.recursive,
                includesDeleted: argument.includeDeleted,
                pageSize: argument.limit.map(Int.init) ?? 2000)
        } catch {
            throw ListFolderError.path(error)
        }
    }

    func page(after cursor: ListingCursor) throws(ListFolderContinueError) -> ListingPage {
        guard index.canContinue(cursor) else { throw .reset }
        guard index[cursor.folder]?.isFolder == true else { throw .path(.notFound) }
        if isBlind(to: cursor.folder) {
            syncFolder(cursor.folder, recursively: cursor.isRecursive)
            publish()
        }
        return index.page(after: cursor)
    }
}
