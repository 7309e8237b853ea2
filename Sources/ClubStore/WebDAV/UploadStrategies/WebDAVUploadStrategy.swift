import CurlNetworking
import DropboxAPI
import FoundationEssentials
import Synchronization

/// What must be true of the file in the way for a write to happen.
enum WriteCondition: Hashable, Sendable {
    case none
    /// Nothing is there.
    case absent
    /// By `If-Match`, which wants a strong tag.
    case matches(Revision)
    /// By `If` (RFC 4918 §10.4), which does with a weak one.
    case matchesByIf(Revision)
    /// A lock with this token is held, under which the file was looked at.
    case locked(String)

    var revision: Revision? {
        switch self {
        case .none, .absent, .locked: nil
        case .matches(let revision), .matchesByIf(let revision): revision
        }
    }
}

/// A way for bytes to get to a path: straight, under another name first, or in parts.
protocol WebDAVUploadStrategy: Sendable {
    var payload: WebDAVPayload { get }

    /// Whether it is one request, which costs little in vain.
    var isDirect: Bool { get }

    /// Puts the bytes in their place. What is on the server already is not sent again when it is
    /// asked for once more, with another condition.
    ///
    /// - Returns: The new tag, if the answer had it.
    /// - Throws: An error with ``StoreError/isUnmetCondition``, among others.
    func commit(_ condition: WriteCondition) async throws(StoreError) -> EntityTag?

    /// Makes it send everything again with the next commit.
    func prepareToRepeat() async

    /// Takes back what has not come to its place.
    func abandon(after error: StoreError) async
}

extension WebDAVUploadStrategy {
    var byteCount: Int64 { payload.byteCount }
    var attempts: AttemptLog { payload.attempts }
    var hash: String? { get async { await payload.hash() } }

    func isSame(as file: WebDAVFile) async throws(StoreError) -> Bool {
        try await payload.isSame(as: file)
    }

    /// What a file of a length hashes to if an attempt at this has left it; nil when it cannot have.
    func hash(ofFirst count: Int64) async -> String? {
        if count == byteCount { return await hash }
        guard isDirect, count < byteCount else { return nil }
        return await payload.hash(ofFirst: count)
    }

    /// To be known again if it turns up. Also when the task is cancelled.
    var unconfirmedWrite: UnconfirmedWrite? {
        get async { await Task { await payload.unconfirmedWrite(isWhole: !isDirect) }.value }
    }

    func prepareToRepeat() async {}
    func abandon(after error: StoreError) async {}
}

/// The bytes to be written, and where.
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

    /// Nil when the file cannot be read any more. Computed once: a large file is not read for each
    /// question, and one that changes meanwhile is not sent (``requireUnchanged()``).
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

    /// The hash of its beginning; nil when the file cannot be read any more.
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

    /// Whether a file on the server has these very bytes.
    func isSame(as file: WebDAVFile) async throws(StoreError) -> Bool {
        guard file.file.byteCount == byteCount, let hash = await hash() else { return false }
        return try await store.contentHash(of: file.file.path, during: operation) == hash
    }

    /// - Parameter isWhole: It comes to its place as a whole or not at all.
    func unconfirmedWrite(isWhole: Bool) async -> UnconfirmedWrite? {
        guard let hash = await hash() else { return nil }
        var data: Data?
        if !isWhole, byteCount <= store.configuration.limits.directByteCount {
            switch source {
            case .data(let all): data = all
            case .file(let file, _): data = try? await file.read(0..<byteCount)
            }
        }
        return UnconfirmedWrite(byteCount: byteCount, hash: hash, data: data)
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

    /// Sends a part of it, told of as progress where somebody follows.
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
        let counted = SentBytes()
        let expected = byteCount
        let observers = HTTPLoader.Observers(
            didSend: { total in
                progress.pacer.didMove(counted.newlySent(total))
                progress.tellAtOnce(offset + total, ofExpected: expected)
            },
            control: { task in
                counted.reset()
                progress.pacer.take(task)
            })
        return try await store.connection.send(
            during: operation, at: path, through: store.uploader, observers: observers,
            attempts: attempts
        ) { request }
    }

    private var nextcloud: Bool { store.nextcloud != nil }
}

extension HTTPLoader.Answer {
    /// What the server calls the state that a write has made.
    var entityTag: EntityTag? {
        (response.value(forHTTPHeaderField: "OC-ETag") ?? response.value(forHTTPHeaderField: "ETag"))
            .flatMap(EntityTag.init)
    }
}
