import CurlNetworking
import DropboxAPI
public import FoundationEssentials

extension WebDAVStore {
    @concurrent public func metadata(of path: RemotePath) async throws(StoreError) -> RemoteFile {
        try await currentFile(at: path, during: .metadata).file
    }

    @concurrent public func list(
        _ folder: RemotePath, recursive: Bool
    ) async throws(StoreError) -> Listing {
        let snapshot = try await takeSnapshot(of: folder, recursive: recursive, during: .list)
        return Listing(
            entries: snapshot.entries, cursor: snapshots.keep(snapshot), skipped: snapshot.skipped)
    }

    @concurrent public func search(
        _ query: String, in folder: RemotePath
    ) async throws(StoreError) -> [RemoteFile] {
        // Few servers support search by name, and each differently: a club is small enough to list.
        let needle = query.lowercased()
        let snapshot = try await takeSnapshot(of: folder, recursive: true, during: .search)
        return snapshot.entries.compactMap { entry in
            entry.file.flatMap { $0.name.lowercased().contains(needle) ? $0 : nil }
        }
    }

    @concurrent public func fetch(
        _ path: RemotePath
    ) async throws(StoreError) -> (file: RemoteFile, data: Data) {
        guard !path.isRoot else { throw StoreError(.wrongKind, during: .fetch, at: path) }
        // If the bytes have the tag from a recent listing, its metadata is still valid.
        var known = memory.file(at: path)
        if known?.tag == nil { known = try await currentFile(at: path, during: .fetch) }
        for _ in 0..<Self.fetchAttempts {
            guard let expected = known else { break }
            let answer = try await send(
                .get(address.url(of: path), of: expected.knownByteCount), limit: Int(fetchLimit),
                during: .fetch, at: path)
            if isAnswer(answer.response, for: expected),
                expected.canHave(Int64(answer.body.count))
            {
                return (remember(answer.body, as: expected, by: answer.response), answer.body)
            }
            // An unexpected state; it is valid if the metadata before and after are equal.
            let now = try await currentFile(at: path, during: .fetch)
            if now.isSameState(as: expected) {
                guard now.canHave(Int64(answer.body.count)) else {
                    throw StoreError(
                        .badAnswer, during: .fetch, at: path,
                        detail: "\(answer.body.count) bytes of \(now.file.byteCount)")
                }
                return (remember(answer.body, as: now, by: answer.response), answer.body)
            }
            known = now
        }
        throw StoreError(.changedMeanwhile, during: .fetch, at: path)
    }

    /// How often to read a text that keeps changing: a note that several members are writing to can
    /// still be opened.
    private static let fetchAttempts = 8

    public var clockLead: TimeInterval? { loader.clockLead }

    @concurrent public func account() async throws(StoreError) -> Account {
        let answer = try await ask(
            .propfind(
                address.url(of: .root), depth: 0,
                properties: "<D:resourcetype/><D:quota-available-bytes/><D:quota-used-bytes/>"
                    + "<D:current-user-principal/>"),
            during: .account, at: nil)
        guard let properties = answer.responses.first?.properties, properties.isCollection else {
            throw StoreError(.badAnswer, during: .account, detail: "the address is not a folder")
        }
        let used =
            if let used = properties.quotaUsed, used >= 0 {
                used
            } else {
                try await takeSnapshot(of: .root, recursive: true, during: .account).byteCount
            }
        // Nextcloud uses negative numbers for "unknown" and "unlimited".
        let available = properties.quotaAvailable.flatMap { $0 >= 0 ? $0 : nil }
        let (sum, isTooMuch) = used.addingReportingOverflow(available ?? 0)
        return Account(
            displayName: await displayName(of: properties.principal),
            usedBytes: used, allocatedBytes: available == nil || isTooMuch ? nil : sum)
    }
}

extension WebDAVStore {
    /// The current metadata of a file.
    ///
    /// - Throws: `.notFound`; `.wrongKind` when it is a folder.
    func currentFile(
        at path: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) -> WebDAVFile {
        guard !path.isRoot else { throw StoreError(.wrongKind, during: operation, at: path) }
        switch try await look(at: path, during: operation) {
        case .nothing: throw StoreError(.notFound, during: operation, at: path)
        case .folder: throw StoreError(.wrongKind, during: operation, at: path)
        case .file(let file): return file
        }
    }

    /// Whether a response contains the bytes of a known state of a file.
    func isAnswer(_ response: HTTPURLResponse, for file: WebDAVFile) -> Bool {
        let tag =
            response.value(forHTTPHeaderField: "OC-ETag").flatMap(EntityTag.init)
            ?? response.value(forHTTPHeaderField: "ETag").flatMap(EntityTag.init)
        if let expected = file.tag { return tag?.opaque == expected.opaque }
        guard let field = response.value(forHTTPHeaderField: "Last-Modified"),
            let modified = HTTPDate.parseLeniently(field)
        else { return false }
        return modified == file.file.modified
    }

    /// Caches the hash of the bytes, to know later whether a write would change anything, and
    /// whether someone else's write has.
    private func remember(
        _ data: Data, as file: WebDAVFile, by response: HTTPURLResponse
    ) -> RemoteFile {
        let hash = ContentHash(of: data).hexadecimal
        let hasExactTags = capabilities.known?.hasExactTags == true && file.tag != nil
        memory.keep(
            WebDAVMemory.Content(
                revision: file.file.revision, hash: hash,
                isCertain: hasExactTags
                    || !isFresh(file.file.modified, at: response.date)),
            at: file.file.path)
        memory.keep(text: data, hash: hash)
        var file = file.file
        file.contentHash = hash
        file.byteCount = Int64(data.count)
        return file
    }

    /// The display name of the signed-in user, if the server has one.
    private func displayName(of principal: String?) async -> String {
        if let principal, let components = address.components(ofHref: principal, in: .root),
            let answer = try? await ask(
                .propfind(
                    address.url(components, isFolder: principal.hasSuffix("/")), depth: 0,
                    properties: "<D:displayname/>"),
                during: .account, at: nil),
            let name = answer.responses.first?.properties.displayName, !name.isEmpty
        {
            return name
        }
        return configuration.credentials.user ?? address.host
    }
}
