import DropboxAPI
import FoundationEssentials

extension ClubAPI {
    func addSearchRoutes(to router: inout Router) {
        router.on(Routes.search) { argument, _ in
            try await search(SearchCursor(argument: argument, offset: 0))
        }
        router.on(Routes.searchContinue) { argument, _ in
            guard let cursor = SearchCursor(argument.cursor) else {
                throw SearchError.invalidArgument("The cursor is invalid.")
            }
            return try await search(cursor)
        }
    }

    /// A search, and the number of results returned so far. Each page searches again: the server
    /// keeps no state, and sees changes in between.
    private struct SearchCursor: Codable {
        let argument: SearchV2Arg
        let offset: Int

        init(argument: SearchV2Arg, offset: Int) {
            self.argument = argument
            self.offset = offset
        }

        init?(_ text: String) {
            guard let data = Base64URL.decode(text),
                let cursor = try? WireJSON.decode(Self.self, from: data), cursor.offset >= 0
            else { return nil }
            self = cursor
        }
    }

    /// Dropbox's own maximum.
    private static let matchLimit = 10_000

    private struct Match {
        let entry: Entry
        let rank: Int
        let type: SearchMatchType

        var modified: Int64 { entry.facts?.serverModified.secondsSince1970 ?? 0 }
    }

    private func search(_ cursor: SearchCursor) async throws -> SearchV2Result {
        let query = SearchQuery(cursor.argument.query)
        let options = cursor.argument.options ?? SearchOptions()
        guard !query.words.isEmpty else {
            throw SearchError.invalidArgument("The query is empty.")
        }
        if options.status == .deleted { return try await searchDeleted(query, options, cursor) }
        let candidates = try await club.searchable(options)
        var matches: [Match] = []
        for entry in candidates {
            try Task.checkCancellation()
            let inName = query.matches(name: entry.name)
            let inText = !options.filenameOnly && entryText(entry).map(query.matches(text:)) == true
            guard inName || inText else { continue }
            matches.append(
                Match(
                    entry: entry.entry, rank: query.rank(name: entry.name, inText: inText),
                    type: inName && inText ? .filenameAndContent : inName ? .filename : .fileContent
                ))
        }
        if options.order == .lastModifiedTime {
            matches.sort { (one: Match, other: Match) in one.modified > other.modified }
        } else {
            matches.sort { one, other in
                one.rank != other.rank
                    ? one.rank > other.rank : ByteOrder.isBefore(one.entry.key, other.entry.key)
            }
        }
        let found = matches.prefix(Self.matchLimit)
        let page = found.dropFirst(cursor.offset).prefix(Int(options.maxResults))
        var results: [SearchMatchV2] = []
        for match in page {
            results.append(
                SearchMatchV2(metadata: await club.metadata(of: match.entry), matchType: match.type)
            )
        }
        return result(results, of: found.count, cursor)
    }

    private func searchDeleted(
        _ query: SearchQuery, _ options: SearchOptions, _ cursor: SearchCursor
    ) async throws -> SearchV2Result {
        let folder = try await club.searchRoot(options.path)
        let found = await club.index.tombstones.values
            .filter {
                query.matches(name: $0.name)
                    && (folder.isEmpty || ClubIndex.isBelow($0.key, folder))
            }
            .sorted { $0.sequence > $1.sequence }
        let page = found.dropFirst(cursor.offset).prefix(Int(options.maxResults)).map {
            SearchMatchV2(
                metadata: .deleted(
                    DeletedMetadata(name: $0.name, pathLower: $0.key, pathDisplay: $0.path)),
                matchType: .filename)
        }
        return result(page, of: found.count, cursor)
    }

    private func result(
        _ page: [SearchMatchV2], of count: Int, _ cursor: SearchCursor
    ) -> SearchV2Result {
        let end = cursor.offset + page.count
        guard end < count, !page.isEmpty else {
            return SearchV2Result(matches: page, hasMore: false)
        }
        let next = SearchCursor(argument: cursor.argument, offset: end)
        let text = (try? WireJSON.encode(next)).map(Base64URL.encode)
        return SearchV2Result(matches: page, hasMore: text != nil, cursor: text)
    }

    /// The text of a note, or nil if it is not text or too large.
    private func entryText(_ entry: ClubFolder.Searchable) -> String? {
        guard let facts = entry.entry.facts, facts.signature.size <= SearchQuery.textByteLimit,
            SearchQuery.mayHoldText(entry.name), let file = try? club.access.file(entry.diskNames)
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(facts.signature.size))
        // It may grow during the read.
        try? FileReader.forEachPiece(of: file) { piece in
            if bytes.count < Int(SearchQuery.textByteLimit) { bytes.append(contentsOf: piece) }
        }
        return bytes.contains(0) ? nil : String(decoding: bytes, as: UTF8.self)
    }
}

extension ClubFolder {
    /// A file to search, and how to get its text.
    struct Searchable: Sendable {
        let entry: Entry
        let diskNames: [String]
        var name: String { entry.name }
    }

    func searchRoot(_ path: String?) throws -> String {
        guard let path else { return "" }
        do throws(LookupError) {
            let folder = try find(path)
            guard folder.isFolder else { throw .notFolder }
            return folder.key
        } catch {
            throw SearchError.path(error)
        }
    }

    /// The files that a search covers.
    func searchable(_ options: SearchOptions) throws -> [Searchable] {
        let folder = try searchRoot(options.path)
        let endings = options.fileExtensions?.map { ending in
            "." + PathNames.key(ending.hasPrefix(".") ? String(ending.dropFirst()) : ending)
        }
        return index.descendants(of: folder).compactMap { entry in
            if let endings {
                guard !entry.isFolder, endings.contains(where: entry.key.hasSuffix) else {
                    return nil
                }
            }
            if let categories = options.fileCategories {
                let category = entry.isFolder ? .folder : SearchQuery.category(of: entry.name)
                guard categories.contains(category) else { return nil }
            }
            return Searchable(entry: entry, diskNames: index.diskNames(of: entry.key))
        }
    }
}
