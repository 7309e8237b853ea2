import Dispatch
import FoundationEssentials
import Synchronization

/// Copies the body of a response while it is received, and stores it when it is complete.
///
/// Small bodies stay in memory; larger ones are written to a file piece by piece. A response that becomes too
/// large, or arrives faster than the disk can write, is not stored: the task never waits for its cache. Every
/// method returns at once.
final class CacheWriter: Sendable {
    private let cache: URLCache
    private let key: CacheKey
    private let head: StoredHead
    private let response: HTTPURLResponse
    private let request: URLRequest
    /// The account whose credential was sent.
    private let account: String?
    private let stamp: CacheRemovals.Stamp
    /// Whether to store the response as it is; otherwise only what the delegate returns.
    private let isWorthKeeping: Bool
    private let limit: Int
    private let state = Mutex(State())

    fileprivate struct State: ~Copyable {
        var waiting = Data()
        var byteCount = 0
        var file: CacheScratchFile?
        var isFlushing = false
        /// Whether the response is not going to be stored.
        var isOver = false
        var proposal: CachedURLResponse?
    }

    /// Longer bodies are written to a file.
    private static let memoryByteCount = 256 << 10
    /// The maximum number of bytes waiting for the disk.
    private static let backlogByteCount = 8 << 20

    /// Returns nil if the response's declared length is too large.
    ///
    /// - Parameter plan: The plan of the request, after the reaction to the response was applied.
    init?(
        cache: URLCache, plan: CachePlan, head: StoredHead, response: HTTPURLResponse,
        isWorthKeeping: Bool
    ) {
        guard let key = CacheKey(head.url),
            response.expectedContentLength <= cache.largestBodyByteCount
        else { return nil }
        self.cache = cache
        self.key = key
        self.head = head
        self.response = response
        request = plan.request
        account = plan.account
        stamp = plan.sendingStamp ?? plan.stamp
        self.isWorthKeeping = isWorthKeeping
        limit = cache.largestBodyByteCount
    }

    func append(_ data: Data) {
        let flushes = state.withLock { state in
            guard !state.isOver else { return false }
            state.byteCount += data.count
            guard state.byteCount <= limit,
                state.waiting.count + data.count <= Self.backlogByteCount
            else {
                state.giveUp()
                return false
            }
            state.waiting.append(data)
            guard state.waiting.count >= Self.memoryByteCount, !state.isFlushing else {
                return false
            }
            state.isFlushing = true
            return true
        }
        if flushes { cache.queue.async { @Sendable [self] in flush() } }
    }

    /// Completes the body.
    ///
    /// - Parameter receive: Called on the cache's queue with the proposal for the delegate, or nil if the
    ///   response cannot be stored. Then call `commit`.
    func finish(_ receive: @escaping @Sendable (CachedURLResponse?) -> Void) {
        cache.queue.async { @Sendable [self] in receive(propose()) }
    }

    /// Completes the body and stores the response without asking.
    func keep() {
        cache.writeLater(key, ifCurrent: stamp) { [self] isWanted in
            guard isWanted else { return discard() }
            if let proposal = propose() { keep(proposal) }
        }
    }

    /// Stores the proposal or the delegate's response; nil stores nothing.
    func commit(_ chosen: CachedURLResponse?) {
        cache.writeLater(key, ifCurrent: stamp) { [self] isWanted in
            guard isWanted, let chosen, let proposal = state.withLock({ $0.proposal }) else {
                return discard()
            }
            if chosen === proposal {
                keep(proposal)
            } else {
                keepInstead(chosen)
            }
        }
    }

    /// Stores nothing: the response is incomplete or not wanted.
    func discard() {
        state.withLock { $0.giveUp() }
    }
}

// MARK: - On the cache's queue

extension CacheWriter {
    private func flush() {
        // The engine appends meanwhile; the file is used on this queue only.
        var file: CacheScratchFile? = state.withLock { $0.file.take() }
        if file == nil, !isOver { file = cache.responses.makeScratchFile(for: head) }
        let data = state.withLock { state in
            state.isFlushing = false
            // Without a file, the cache is in memory only.
            guard file != nil, !state.isOver else { return Data() }
            defer { state.waiting = Data() }
            return state.waiting
        }
        var isWritten = true
        do throws(URLError) {
            try file?.append(data)
        } catch {
            isWritten = false
        }
        state.withLock { state in
            if isWritten, !state.isOver { state.file = file.take() } else { state.giveUp() }
        }
    }

    private var isOver: Bool { state.withLock { $0.isOver } }

    private func propose() -> CachedURLResponse? {
        flushRest()
        return state.withLock { state in
            guard !state.isOver else { return nil }
            let body: CacheBody
            if let file = try? state.file?.makeBody() {
                body = .file(file)
            } else if state.file == nil {
                body = .data(state.waiting)
            } else {
                return nil
            }
            let proposal = CachedURLResponse(
                response: CacheEntry(head: head, body: body).plainResponse, body: body, head: head)
            state.proposal = proposal
            return proposal
        }
    }

    private func flushRest() {
        let hasFile = state.withLock { $0.file != nil }
        if hasFile { flush() }
    }

    private func keep(_ proposal: CachedURLResponse) {
        guard isWorthKeeping else { return discard() }
        if cache.isSubclassed {
            cache.asSession { cache.storeCachedResponse(proposal, for: request) }
            return discard()
        }
        guard !cache.responses.hasNewer(than: head, for: key, now: cache.clock()) else {
            return discard()
        }
        let file = state.withLock { state in
            state.isOver = true
            return state.file.take()
        }
        if let file {
            cache.responses.publish(file, body: proposal.body, head: head, key: key)
        } else {
            cache.responses.store(proposal, head: head, key: key)
        }
    }

    private func keepInstead(_ chosen: CachedURLResponse) {
        let http = chosen.response as? HTTPURLResponse
        let head = StoredHead(
            url: head.url, status: http?.statusCode ?? 0,
            headers: http?.headers.storable ?? HTTPHeaderFields(), request: request.headers,
            account: account, requestTime: head.requestTime, responseTime: head.responseTime)
        if isWorthKeeping || CacheStorability.mayStore(head, for: request) {
            if cache.isSubclassed {
                // Its head says whose it is.
                let own = account == nil ? chosen : chosen.with(head)
                cache.asSession { cache.storeCachedResponse(own, for: request) }
            } else if !cache.responses.hasNewer(than: head, for: key, now: cache.clock()) {
                cache.responses.store(chosen, head: head, key: key)
            }
        }
        discard()
    }
}

extension CacheWriter.State {
    fileprivate mutating func giveUp() {
        isOver = true
        waiting = Data()
        file = nil
        proposal = nil
    }
}
