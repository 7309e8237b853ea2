import Foundation
import Testing

@testable import CurlNetworking

/// The doors the engine uses: plan, write, react.
@Suite struct CacheEngineTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "cache-\(UUID().uuidString)")
    private let now = Date()

    private func makeCache(memory: Int = 4 << 20, disk: Int = 40 << 20) -> URLCache {
        URLCache(memoryCapacity: memory, diskCapacity: disk, folder: folder.path)
    }

    private func makeRequest() throws -> URLRequest {
        URLRequest(url: try #require(URL(string: "http://a.test/x")))
    }

    private func plan(
        _ request: URLRequest, in cache: URLCache,
        policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) async -> CachePlan {
        if let plan = cache.planAtOnce(for: request, policy: policy) { return plan }
        return await withCheckedContinuation { continuation in
            cache.planLater(for: request, policy: policy) { continuation.resume(returning: $0) }
        }
    }

    /// Loads as the engine does: plan, head, body, end.
    private func load(
        _ fields: [String: String], _ body: [Data], into cache: URLCache,
        choose: @Sendable (CachedURLResponse) -> CachedURLResponse? = { $0 }
    ) async throws {
        let plan = await plan(try makeRequest(), in: cache)
        let head = ResponseHead(status: 200, headers: HTTPHeaderFields(fields))
        let reaction = plan.react(to: head, requestTime: now, responseTime: now)
        cache.apply(reaction, of: plan)
        guard case .serverAndStore(let stored) = reaction.answer,
            let writer = CacheWriter(
                cache: cache, plan: plan, head: stored,
                response: HTTPURLResponse(url: try #require(plan.request.url), head: head),
                isWorthKeeping: true)
        else { return }
        for piece in body { writer.append(piece) }
        let proposal = await withCheckedContinuation { continuation in
            writer.finish { continuation.resume(returning: $0) }
        }
        writer.commit(proposal.flatMap(choose))
        await settle(cache)
    }

    private func settle(_ cache: URLCache) async {
        await withCheckedContinuation { continuation in cache.queue.async { continuation.resume() }
        }
    }

    @Test func whatWasRemovedIsNotStoredByAnEarlierTask() async throws {
        defer { clean() }
        let cache = makeCache()
        for isKept in [false, true] {
            let plan = await plan(try makeRequest(), in: cache)
            let head = ResponseHead(status: 200, headers: HTTPHeaderFields(fresh))
            let reaction = plan.react(to: head, requestTime: now, responseTime: now)
            guard case .serverAndStore(let stored) = reaction.answer else {
                Issue.record("not stored: \(reaction.answer)")
                return
            }
            let url = try #require(plan.request.url)
            let made = CacheWriter(
                cache: cache, plan: plan, head: stored,
                response: HTTPURLResponse(url: url, head: head), isWorthKeeping: true)
            let writer = try #require(made)
            writer.append(Data("private".utf8))
            // The task is complete once this returns, but the cache is busy.
            cache.queue.suspend()
            writer.keep()
            if !isKept { cache.removeAllCachedResponses() }
            cache.queue.resume()
            await settle(cache)
            #expect((cache.cachedResponse(for: plan.request) != nil) == isKept)
        }
    }

    @Test func aPlanWithoutItsEntryKeepsThePolicysFields() async throws {
        defer { clean() }
        let cache = makeCache()
        let plan = await plan(
            try makeRequest(), in: cache, policy: .reloadIgnoringLocalAndRemoteCacheData)
        let other = plan.withoutEntry(for: plan.request, account: nil)
        #expect(!plan.addedFields.isEmpty)
        #expect(other.addedFields.fields == plan.addedFields.fields)
    }

    private func clean() { try? FileManager.default.removeItem(at: folder) }

    private let fresh = ["Cache-Control": "max-age=6000", "ETag": "\"1\""]

    @Test(arguments: [0, 1, 1000, 256 << 10, 1_500_000])
    func aStoredBodyComesBackWhole(byteCount: Int) async throws {
        defer { clean() }
        let body = Data((0..<byteCount).lazy.map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        let pieces = stride(from: 0, to: byteCount, by: 100_000)
            .map { body[$0..<min($0 + 100_000, byteCount)] }
        let cache = makeCache()
        try await load(fresh, pieces, into: cache)
        for cache in [cache, makeCache()] {
            let plan = await plan(try makeRequest(), in: cache)
            #expect(plan.decision == .use)
            let answer = try #require(plan.answer(at: now + 5))
            #expect(answer.body.data == body)
            #expect(answer.response.value(forHTTPHeaderField: "Age") == "5")
            var streamed = Data()
            while let piece = answer.body.piece(at: streamed.count, byteCount: 70_000),
                !piece.isEmpty
            {
                streamed += piece
            }
            #expect(streamed == body)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.filter(CacheKey.isFileName).count == names.count && names.count == 1)
    }

    @Test func whatIsTooLargePassesUnstored() async throws {
        defer { clean() }
        let cache = makeCache(memory: 0, disk: 10 << 20)
        try await load(fresh, [Data(count: 400 << 10), Data(count: 400 << 10)], into: cache)
        #expect(await plan(try makeRequest(), in: cache).entry == nil)
        var said = fresh
        said["Content-Length"] = "600000"
        let head = StoredHead(
            url: try #require(try makeRequest().url), status: 200, headers: HTTPHeaderFields(said),
            request: HTTPHeaderFields(), requestTime: now, responseTime: now)
        let response = CacheEntry(head: head, body: .data(Data())).plainResponse
        let made = await self.plan(try makeRequest(), in: cache)
        #expect(
            CacheWriter(
                cache: cache, plan: made, head: head, response: response, isWorthKeeping: true)
                == nil)
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        #expect(files.isEmpty)
    }

    @Test func aBodyThatBreaksOffLeavesNothing() async throws {
        defer { clean() }
        let cache = makeCache()
        let head = StoredHead(
            url: try #require(try makeRequest().url), status: 200, headers: HTTPHeaderFields(fresh),
            request: HTTPHeaderFields(), requestTime: now, responseTime: now)
        let response = CacheEntry(head: head, body: .data(Data())).plainResponse
        let made = await self.plan(try makeRequest(), in: cache)
        let writer = try #require(
            CacheWriter(
                cache: cache, plan: made, head: head, response: response, isWorthKeeping: true))
        writer.append(Data(count: 300 << 10))
        await settle(cache)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
        writer.discard()
        await settle(cache)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        #expect(await plan(try makeRequest(), in: cache).entry == nil)
    }

    @Test(arguments: [10, 400 << 10])
    func theDelegateMayRefuseOrChangeWhatIsStored(byteCount: Int) async throws {
        defer { clean() }
        let cache = makeCache()
        try await load(fresh, [Data(count: byteCount)], into: cache, choose: { _ in nil })
        #expect(await plan(try makeRequest(), in: cache).entry == nil)
        try await load(fresh, [Data(count: byteCount)], into: cache) { proposal in
            CachedURLResponse(
                response: proposal.response, data: Data([1, 2]), storagePolicy: .allowedInMemoryOnly
            )
        }
        #expect(
            await plan(try makeRequest(), in: cache).answer(at: now)?.body.data == Data([1, 2]))
        #expect(await plan(try makeRequest(), in: makeCache()).entry == nil)
    }

    @Test(arguments: [10, 1_000_000])
    func a304IsRememberedBesideTheOldBody(byteCount: Int) async throws {
        defer { clean() }
        let cache = makeCache()
        let body = Data(repeating: 3, count: byteCount)
        try await load(["Cache-Control": "max-age=0", "ETag": "\"1\""], [body], into: cache)
        let first = await plan(try makeRequest(), in: cache)
        #expect(first.addedFields["If-None-Match"] == "\"1\"")
        let reaction = first.react(
            to: ResponseHead(status: 304, headers: HTTPHeaderFields(fresh)), requestTime: now,
            responseTime: now)
        cache.apply(reaction, of: first)
        guard case .stored(let head) = reaction.answer else {
            Issue.record("not answered from the cache")
            return
        }
        #expect(first.answer(under: head, isConfirmed: true, at: now)?.body.data == body)
        await settle(cache)
        for cache in [cache, makeCache()] {
            let second = await plan(try makeRequest(), in: cache)
            #expect(second.decision == .use)
            #expect(second.answer(at: now)?.body.data == body)
        }
    }

    @Test func anUnsafeRequestRemovesWhatIsStored() async throws {
        defer { clean() }
        let cache = makeCache()
        try await load(fresh, [Data([1])], into: cache)
        var post = try makeRequest()
        post.httpMethod = "POST"
        let plan = await plan(post, in: cache)
        #expect(plan.entry == nil)
        let reaction = plan.react(
            to: ResponseHead(status: 200), requestTime: now, responseTime: now)
        cache.apply(reaction, of: plan)
        await settle(cache)
        #expect(await self.plan(try makeRequest(), in: cache).entry == nil)
    }

    @Test func answersWithoutAServer() async throws {
        let cache = makeCache(disk: 0)
        var request = try makeRequest()
        #expect(await plan(request, in: cache, policy: .returnCacheDataDontLoad).decision == .fail)
        request.setValue("only-if-cached", forHTTPHeaderField: "Cache-Control")
        let plan = await plan(request, in: cache)
        #expect(plan.answer(at: now)?.response.statusCode == 504)
        request.httpMethod = "HEAD"
        request.setValue(nil, forHTTPHeaderField: "Cache-Control")
        try await load(fresh, [Data([1])], into: cache)
        let head = try #require(await self.plan(request, in: cache).answer(at: now))
        #expect(head.response.statusCode == 200 && head.body.byteCount == 0)
    }

    @Test func aStaleAnswerStandsInForNone() async throws {
        let cache = makeCache(disk: 0)
        let fields = ["Cache-Control": "max-age=0, stale-if-error=60"]
        let url = try #require(try makeRequest().url)
        let response = CacheEntry(
            head: StoredHead(
                url: url, status: 200, headers: HTTPHeaderFields(fields),
                request: HTTPHeaderFields(),
                requestTime: now, responseTime: now), body: .data(Data())
        ).plainResponse
        cache.storeCachedResponse(
            CachedURLResponse(response: response, data: Data([9])), for: try makeRequest())
        let plan = await plan(try makeRequest(), in: cache)
        #expect(plan.fallbackResponse(at: now)?.body.data == Data([9]))
        #expect(plan.fallbackResponse(at: now + 100) == nil)
    }

    // MARK: - What happens while a response is under way

    /// Begins a load as the engine does, with a body that is complete.
    private func begin(
        _ body: String, _ fields: [String: String], in cache: URLCache, at time: Date
    ) async throws -> CacheWriter {
        let plan = await plan(try makeRequest(), in: cache, policy: .reloadIgnoringLocalCacheData)
        let head = ResponseHead(status: 200, headers: HTTPHeaderFields(fields))
        let reaction = plan.react(to: head, requestTime: time, responseTime: time)
        let applied = try #require(cache.apply(reaction, of: plan))
        let stored: StoredHead
        switch reaction.answer {
        case .serverAndStore(let head), .serverAndPropose(let head): stored = head
        case .server, .stored: throw URLError(.unknown)
        }
        let url = try #require(plan.request.url)
        let writer = try #require(
            CacheWriter(
                cache: cache, plan: applied, head: stored,
                response: HTTPURLResponse(url: url, head: head),
                isWorthKeeping: reaction.answer == .serverAndStore(stored)))
        writer.append(Data(body.utf8))
        return writer
    }

    private func storedText(in cache: URLCache) throws -> String? {
        try cache.cachedResponse(for: makeRequest()).map {
            String(decoding: $0.data, as: UTF8.self)
        }
    }

    /// A POST to the URL succeeds.
    private func invalidate(_ cache: URLCache) async throws {
        var post = try makeRequest()
        post.httpMethod = "POST"
        let plan = await plan(post, in: cache)
        cache.apply(
            plan.react(to: ResponseHead(status: 200), requestTime: now, responseTime: now),
            of: plan)
    }

    @Test func aResponseThatAPostHasOvertakenIsNotStored() async throws {
        defer { clean() }
        let cache = makeCache()
        let old = try await begin("old", fresh, in: cache, at: now)
        try await invalidate(cache)
        old.keep()
        await settle(cache)
        #expect(try storedText(in: cache) == nil)
        let new = try await begin("new", fresh, in: cache, at: now)
        new.keep()
        await settle(cache)
        #expect(try storedText(in: cache) == "new")
    }

    @Test func a304DoesNotPutBackWhatWasRemoved() async throws {
        defer { clean() }
        let cache = makeCache()
        try await load(["Cache-Control": "max-age=0", "ETag": "\"1\""], [Data([1])], into: cache)
        let plan = await self.plan(try makeRequest(), in: cache)
        #expect(plan.entry != nil)
        cache.removeCachedResponse(for: try makeRequest())
        let reaction = plan.react(
            to: ResponseHead(status: 304, headers: HTTPHeaderFields(fresh)), requestTime: now,
            responseTime: now)
        #expect(reaction.update != nil)
        cache.apply(reaction, of: plan)
        await settle(cache)
        #expect(try storedText(in: cache) == nil)
        #expect(makeCache().cachedResponse(for: try makeRequest()) == nil)
    }

    /// A response without a lifetime removes what is stored, but not what the delegate makes of it.
    @Test(arguments: [false, true])
    func aReactionDoesNotDropItsOwnProposal(isOvertaken: Bool) async throws {
        defer { clean() }
        let cache = makeCache()
        let writer = try await begin("proposed", [:], in: cache, at: now)
        if isOvertaken { try await invalidate(cache) }
        let found = await withCheckedContinuation { continuation in
            writer.finish { continuation.resume(returning: $0) }
        }
        let proposal = try #require(found)
        let url = try #require(proposal.response.url)
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fresh))
        writer.commit(CachedURLResponse(response: response, data: proposal.data))
        await settle(cache)
        #expect(try storedText(in: cache) == (isOvertaken ? nil : "proposed"))
    }

    @Test(arguments: [false, true])
    func anOlderResponseDoesNotReplaceANewerOne(isOfAnotherProcess: Bool) async throws {
        defer { clean() }
        let cache = makeCache()
        let other = isOfAnotherProcess ? makeCache() : cache
        let old = try await begin("old", fresh, in: cache, at: now - 20)
        let new = try await begin("new", fresh, in: other, at: now - 10)
        new.keep()
        await settle(other)
        old.keep()
        await settle(cache)
        #expect(try storedText(in: cache) == "new")
        #expect(try storedText(in: makeCache()) == "new")
    }

    @Test func aClockThatWasSetBackDoesNotKeepAnEntryForever() async throws {
        let cache = makeCache(disk: 0)
        let future = try await begin("future", fresh, in: cache, at: now + 1e6)
        future.keep()
        await settle(cache)
        let present = try await begin("present", fresh, in: cache, at: now)
        present.keep()
        await settle(cache)
        #expect(try storedText(in: cache) == "present")
    }

    @Test func theProgramReplacesANewerResponse() async throws {
        defer { clean() }
        let cache = makeCache()
        let future = try await begin("server's", fresh, in: cache, at: now + 30)
        future.keep()
        await settle(cache)
        let url = try #require(try makeRequest().url)
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fresh))
        cache.storeCachedResponse(
            CachedURLResponse(response: response, data: Data("mine".utf8)), for: try makeRequest())
        #expect(try storedText(in: cache) == "mine")
    }

    // MARK: - Whose response it is

    @Test func aPlanIsMadeForWhoAsks() async throws {
        let cache = makeCache(disk: 0)
        let head = ResponseHead(status: 200, headers: HTTPHeaderFields(fresh))
        let request = try makeRequest()
        let ada = CacheRequester(account: "ada")
        let first = try #require(
            cache.planAtOnce(for: request, policy: .useProtocolCachePolicy, by: ada))
        let reaction = first.react(to: head, requestTime: now, responseTime: now)
        guard case .serverAndStore(let stored) = reaction.answer else {
            Issue.record("not stored: \(reaction.answer)")
            return
        }
        let url = try #require(request.url)
        let writer = try #require(
            CacheWriter(
                cache: cache, plan: first, head: stored,
                response: HTTPURLResponse(url: url, head: head),
                isWorthKeeping: true))
        writer.append(Data("ada's".utf8))
        writer.keep()
        await settle(cache)
        let requesters = [
            ada, CacheRequester(account: "bob"), CacheRequester(),
            CacheRequester(account: "ada", isAccepted: false),
        ]
        let decisions = requesters.map {
            cache.planAtOnce(for: request, policy: .useProtocolCachePolicy, by: $0)?.decision
        }
        let load = CacheDecision.load(HTTPHeaderFields(), stores: true)
        #expect(decisions.prefix(3) == [.use, load, load])
        // A credential that was not accepted yet is verified with the response.
        guard case .revalidate = decisions[3] else {
            Issue.record("\(String(describing: decisions[3]))")
            return
        }
        #expect(cache.cachedResponse(for: request)?.data == Data("ada's".utf8))
    }

    /// A signature, or a token that changes, makes each response one that nothing matches later.
    @Test(arguments: [0, 1 << 20])
    func credentialsThatChangeDoNotFillTheCache(disk: Int) throws {
        defer { clean() }
        let cache = makeCache(disk: disk)
        for number in 0..<20 {
            var request = try makeRequest()
            request.setValue("Signature \(number)", forHTTPHeaderField: "Authorization")
            let url = try #require(request.url)
            let head = StoredHead(
                url: url, status: 200, headers: HTTPHeaderFields(fresh), request: request.headers,
                requestTime: now, responseTime: now + Double(number))
            let response = HTTPURLResponse(
                url: url, head: ResponseHead(status: 200, headers: HTTPHeaderFields(fresh)))
            let cached = CachedURLResponse(
                response: response, body: .data(Data("\(number)".utf8)), head: head)
            cache.storeCachedResponse(cached, for: request)
        }
        var found = 0
        for number in 0..<20 {
            var request = try makeRequest()
            request.setValue("Signature \(number)", forHTTPHeaderField: "Authorization")
            if cache.cachedResponse(for: request) != nil { found += 1 }
        }
        #expect(found == StoredHead.Variant.maximumCount)
    }

    /// A program's own response is for the request it was stored for, whatever the session adds to that.
    @Test func whatAProgramStoresIsForAnybody() throws {
        let cache = makeCache(disk: 0)
        let request = try makeRequest()
        let url = try #require(request.url)
        let response = HTTPURLResponse(
            url: url, head: ResponseHead(status: 200, headers: HTTPHeaderFields(fresh)))
        cache.storeCachedResponse(
            CachedURLResponse(response: response, data: Data("mine".utf8)), for: request)
        var authorized = request
        authorized.setValue("Bearer a", forHTTPHeaderField: "Authorization")
        for (asked, requester) in [
            (request, CacheRequester()), (authorized, CacheRequester()),
            (request, CacheRequester(account: "ada")),
        ] {
            let plan = cache.planAtOnce(
                for: asked, policy: .returnCacheDataDontLoad, by: requester)
            #expect(plan?.decision == .use)
        }
    }

    /// They do not say who asked.
    @Test func filesOfEarlierVersionsAreForRequestsWithoutCredentials() async throws {
        defer { clean() }
        let request = try makeRequest()
        let head = StoredHead(
            url: try #require(request.url), status: 200, headers: HTTPHeaderFields(fresh),
            variant: StoredHead.Variant(fields: []), requestTime: now, responseTime: now)
        DiskCache(folder: folder.path, capacity: 1 << 20).store(
            CacheEntry(head: head, body: .data(Data("old".utf8))),
            key: try #require(CacheKey(request.url)))
        #expect(try storedText(in: makeCache()) == "old")
        #expect(await plan(request, in: makeCache()).decision == .use)
        var asked = request
        asked.setValue("Basic YTpi", forHTTPHeaderField: "Authorization")
        #expect(await plan(asked, in: makeCache()).entry == nil)
    }
}
