import DropboxAPI
public import FoundationEssentials

extension DropboxStore {
    public var clockLead: TimeInterval? { loader.clockLead }

    @concurrent public func account() async throws(StoreError) -> Account {
        let account = try await call(
            Routes.getCurrentAccount, NoValue(), during: .account, at: nil)
        let space = try await call(Routes.getSpaceUsage, NoValue(), during: .account, at: nil)
        let allocated: UInt64? =
            switch space.allocation {
            case .individual(let allocated): allocated
            // The team's total use does not count against this member.
            case .team(let used, let allocated):
                allocated == 0 ? nil : allocated - min(allocated, used) + space.used
            case .other: nil
            }
        return Account(
            displayName: account.name.displayName, identifier: account.accountID,
            usedBytes: Int64(clamping: space.used),
            allocatedBytes: allocated.map { Int64(clamping: $0) })
    }

    @concurrent public func list(
        _ folder: RemotePath, recursive: Bool
    ) async throws(StoreError) -> Listing {
        let key = PathNames.key(folder.string)
        for _ in 0..<Self.listingsBegun {
            do throws(StoreError) {
                let first = try await call(
                    Routes.listFolder,
                    ListFolderArg(path: paths.wire(folder), recursive: recursive, limit: 2000),
                    during: .list, at: folder)
                var listing = try await allPages(from: first, during: .list, at: folder)
                // A recursive listing includes the folder itself, in any case.
                listing.entries.removeAll { PathNames.key($0.path.string) == key }
                return listing
            } catch {
                // The server may invalidate the cursor between two pages.
                guard error.code == .cursorReset else { throw error }
            }
        }
        throw StoreError(
            .serverUnavailable(retryAfter: nil), during: .list, at: folder,
            detail: "each listing was reset")
    }

    /// How often to start a listing that the server keeps resetting.
    private static let listingsBegun = 3

    @concurrent public func changes(since cursor: Cursor) async throws(StoreError) -> Listing {
        let first = try await page(after: cursor.rawValue, during: .changes, at: nil)
        return try await allPages(from: first, during: .changes, at: nil)
    }

    @concurrent public func metadata(of path: RemotePath) async throws(StoreError) -> RemoteFile {
        guard !path.isRoot else { throw StoreError(.wrongKind, during: .metadata, at: path) }
        let metadata = try await call(
            Routes.getMetadata, GetMetadataArg(path: paths.wire(path)), during: .metadata, at: path)
        switch metadata {
        case .file(let metadata):
            let file = try paths.file(metadata, askedFor: path, during: .metadata)
            seen.keep([file])
            return file
        case .deleted: throw StoreError(.notFound, during: .metadata, at: path)
        case .folder, .other: throw StoreError(.wrongKind, during: .metadata, at: path)
        }
    }

    @concurrent public func fetch(
        _ path: RemotePath
    ) async throws(StoreError) -> (file: RemoteFile, data: Data) {
        guard !path.isRoot else { throw StoreError(.wrongKind, during: .fetch, at: path) }
        return try await fetch(DownloadArg(path: paths.wire(path)), at: path)
    }

    /// - Parameter path: What the file is called here; ``DownloadArg/path`` may be a revision's.
    func fetch(
        _ argument: DownloadArg, at path: RemotePath
    ) async throws(StoreError) -> (file: RemoteFile, data: Data) {
        let call = try DropboxCall(Routes.download, argument)
        let answer = try await send(call, limit: Int(fetchLimit), during: .fetch, at: path)
        let file = try fileBesideBytes(answer.response, during: .fetch, at: path)
        guard Int64(answer.body.count) == file.byteCount,
            file.contentHash.map({ $0 == ContentHash(of: answer.body).hexadecimal }) ?? true
        else {
            throw StoreError(
                .damaged, during: .fetch, at: path,
                detail: "\(answer.body.count) of \(file.byteCount) bytes, or another hash")
        }
        return (file, answer.body)
    }

    @concurrent public func search(
        _ query: String, in folder: RemotePath
    ) async throws(StoreError) -> [RemoteFile] {
        let options = SearchOptions(
            path: paths.wire(folder), maxResults: 1000, filenameOnly: true)
        var result = try await call(
            Routes.search, SearchV2Arg(query: String(query.prefix(1000)), options: options),
            during: .search, at: folder)
        var files: [RemoteFile] = []
        while true {
            for match in result.matches {
                guard case .file(let file) = match.metadata,
                    paths.unnameable(.file(file)) == nil
                else { continue }
                files.append(try paths.file(file, during: .search))
            }
            guard result.hasMore, let cursor = result.cursor else { return files }
            result = try await call(
                Routes.searchContinue, SearchV2ContinueArg(cursor: cursor),
                during: .search, at: folder)
        }
    }
}

// MARK: - Pages

extension DropboxStore {
    private func page(
        after cursor: String, during operation: StoreError.Operation, at folder: RemotePath?
    ) async throws(StoreError) -> ListFolderResult {
        try await call(
            Routes.listFolderContinue, ListFolderContinueArg(cursor: cursor), during: operation,
            at: folder)
    }

    /// Follows `has_more` to the end: one page is not the whole folder.
    private func allPages(
        from first: ListFolderResult, during operation: StoreError.Operation, at folder: RemotePath?
    ) async throws(StoreError) -> Listing {
        var page = first
        var entries: [RemoteEntry] = []
        var skipped: [String] = []
        while true {
            for metadata in page.entries {
                if let entry = try paths.entry(metadata, during: operation) {
                    entries.append(entry)
                } else if let place = paths.unnameable(metadata) {
                    skipped.append(place)
                }
            }
            let cursor = page.cursor
            guard page.hasMore else {
                let listing = Listing(
                    entries: entries, cursor: Cursor(rawValue: cursor), skipped: skipped)
                seen.keep(listing.files)
                return listing
            }
            page = try await self.page(after: cursor, during: operation, at: folder)
            guard page.cursor != cursor || !page.entries.isEmpty || !page.hasMore else {
                throw StoreError(
                    .badAnswer, during: operation, at: folder,
                    detail: "more announced, but no more came")
            }
        }
    }
}
