import CurlNetworking
import DropboxAPI
import FoundationEssentials
import Synchronization

/// The condition on the existing file for a write to happen.
enum WriteCondition: Hashable, Sendable {
    case none
    /// The path is free.
    case absent
    /// `If-Match`, which requires a strong tag.
    case matches(Revision)
    /// `If` (RFC 4918 §10.4), which accepts a weak one.
    case matchesByIf(Revision)
    /// A lock with this token is held, under which the file was checked.
    case locked(String)

    var revision: Revision? {
        switch self {
        case .none, .absent, .locked: nil
        case .matches(let revision), .matchesByIf(let revision): revision
        }
    }
}

/// How bytes get to a path: directly, under a temporary name first, or in parts.
protocol WebDAVUploadStrategy: Sendable {
    var payload: WebDAVPayload { get }

    /// Whether it is a single request, cheap to waste.
    var isDirect: Bool { get }

    /// Stores the bytes at their path. A second call, with another condition, does not send
    /// again what the server already has.
    ///
    /// - Returns: The new tag, if the response has one.
    /// - Throws: An error with ``StoreError/isPreconditionFailed``, among others.
    func commit(_ condition: WriteCondition) async throws(StoreError) -> EntityTag?

    /// Makes the next commit send everything again.
    func prepareToRepeat() async

    /// Removes what has not reached its final path.
    func abandon(after error: StoreError) async
}

extension WebDAVUploadStrategy {
    var byteCount: Int64 { payload.byteCount }
    var attempts: AttemptLog { payload.attempts }
    var hash: String? { get async { await payload.hash() } }

    func isSame(as file: WebDAVFile) async throws(StoreError) -> Bool {
        try await payload.isSame(as: file)
    }

    /// The hash of a file with this length if an attempt has left it; nil when it cannot have.
    func hash(ofFirst count: Int64) async -> String? {
        if count == byteCount { return await hash }
        guard isDirect, count < byteCount else { return nil }
        return await payload.hash(ofFirst: count)
    }

    /// Identifies the write later if it turns up. Also when the task is cancelled.
    ///
    /// - Parameter base: The text that it replaces, if known.
    func unconfirmedWrite(replacing base: Data?) async -> UnconfirmedWrite? {
        await Task { await payload.unconfirmedWrite(isWhole: !isDirect, replacing: base) }.value
    }

    func prepareToRepeat() async {}
    func abandon(after error: StoreError) async {}
}

/// The bytes to write, and their path.
struct WebDAVPayload: Sendable {
    enum Source: Sendable {
        case data(Data)
        case file(SourceFile, TransferProgressPort)
    }

    let source: Source
    let store: WebDAVStore
    let path: RemotePath
    let operation: StoreError.Operation
    let attempts = AttemptLog()
    private let knownHash = KnownHash()

    init(
        _ source: Source, of store: WebDAVStore, to path: RemotePath,
        during operation: StoreError.Operation
    ) {
        self.source = source
        self.store = store
        self.path = path
        self.operation = operation
    }

    var byteCount: Int64 {
        switch source {
        case .data(let data): Int64(data.count)
        case .file(let file, _): file.byteCount
        }
    }

    /// Nil when the file can no longer be read. Computed once: a large file is read only once, and
    /// one that changes in the meantime is not sent (``requireUnchanged()``).
    func hash() async -> String? {
        if let known = knownHash.value.withLock({ $0 }) { return known }
        let hash: String? =
            switch source {
            case .data(let data): ContentHash(of: data).hexadecimal
            case .file(let file, _): try? await file.contentHash().hexadecimal
            }
        knownHash.value.withLock { $0 = hash }
        return hash
    }

    private final class KnownHash: Sendable {
        let value = Mutex<String?>(nil)
    }

    /// The hash of its beginning; nil when the file can no longer be read.
    func hash(ofFirst count: Int64) async -> String? {
        switch source {
        case .data(let data): ContentHash(of: data.prefix(Int(count))).hexadecimal
        case .file(let file, _): try? await file.contentHash(ofFirst: count).hexadecimal
        }
    }

    /// - Throws: `.changedMeanwhile`.
    func requireUnchanged() throws(StoreError) {
        if case .file(let file, _) = source { try file.requireUnchanged() }
    }

    /// Whether a file on the server has exactly these bytes.
    func isSame(as file: WebDAVFile) async throws(StoreError) -> Bool {
        guard file.canHave(byteCount), let hash = await hash() else { return false }
        return try await store.contentHash(of: file.file.path, during: operation) == hash
    }

    /// - Parameters:
    ///   - isWhole: The file appears completely or not at all.
    ///   - base: The text that it replaces, if known.
    func unconfirmedWrite(isWhole: Bool, replacing base: Data?) async -> UnconfirmedWrite? {
        guard let hash = await hash() else { return nil }
        let data = isWhole ? nil : await smallData()
        var write = UnconfirmedWrite(byteCount: byteCount, hash: hash, data: data)
        if let base, let data { write.sharedByteCount = data.byteCount(sharedWith: base) }
        return write
    }

    /// All bytes, if they are few enough to be sent directly.
    private func smallData() async -> Data? {
        guard byteCount <= store.configuration.limits.directByteCount else { return nil }
        switch source {
        case .data(let all): return all
        case .file(let file, _): return try? await file.read(0..<byteCount)
        }
    }

    /// Whether a file has these bytes with other line ends, or other white space around them: some gateways change
    /// what they take for text.
    func isChangedForm(of file: WebDAVFile) async -> Bool {
        guard let own = await smallData(), file.file.byteCount <= Int64(own.count) * 2 + 16,
            let found = try? await store.fetch(path)
        else { return false }
        return own.essence == found.data.essence
    }

    /// Sends all of it.
    func send(_ request: WebDAVRequest) async throws(StoreError) -> HTTPLoader.Answer {
        switch source {
        case .data(let data):
            try await send(request, body: .data(data), from: 0)
        case .file(let file, _):
            try await send(request, body: .file(file.url), from: 0)
        }
    }

    /// Sends a part of it, with progress if there is an observer.
    func send(
        _ request: WebDAVRequest, body: HTTPLoader.Body, from offset: Int64
    ) async throws(StoreError) -> HTTPLoader.Answer {
        var withBody = request
        withBody.body = body
        if nextcloud, case .file(let file, _) = source {
            withBody.fields["X-OC-Mtime"] = String(file.modifiedSeconds)
        }
        let request = withBody
        guard case .file(_, let progress) = source else {
            return try await store.connection.send(
                during: operation, at: path, through: store.loader, attempts: attempts
            ) { request }
        }
        let expected = byteCount
        let observers = HTTPLoader.Observers(
            didSend: { total in
                progress.updateImmediately(offset + total, ofExpected: expected)
            },
            control: { task in progress.pacer.take(task) })
        return try await store.connection.send(
            during: operation, at: path, through: store.uploader, observers: observers,
            attempts: attempts
        ) { request }
    }

    private var nextcloud: Bool { store.nextcloud != nil }
}

extension HTTPLoader.Answer {
    /// The new tag after a write.
    var entityTag: EntityTag? {
        (response.value(forHTTPHeaderField: "OC-ETag") ?? response.value(forHTTPHeaderField: "ETag"))
            .flatMap(EntityTag.init)
    }
}

extension Data {
    /// The text with `\n` for each line end, without a byte order mark and what is empty at its end.
    var withPlainLineEnds: Data {
        var rest = self[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        var plain = Data()
        var previous: UInt8 = 0
        for byte in rest {
            if byte != 0x0A || previous != 0x0D { plain.append(byte == 0x0D ? 0x0A : byte) }
            previous = byte
        }
        while let last = plain.last, [0x09, 0x0A, 0x20].contains(last) { plain.removeLast() }
        return plain
    }

    /// The bytes without line ends, and without a byte order mark and white space around them.
    fileprivate var essence: Data {
        let space: Set<UInt8> = [0, 0x09, 0x20]
        var rest = filter { $0 != 0x0A && $0 != 0x0D }[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        rest = rest.drop { space.contains($0) }
        while let last = rest.last, space.contains(last) { rest = rest.dropLast() }
        return Data(rest)
    }
}
