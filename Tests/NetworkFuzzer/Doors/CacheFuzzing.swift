import FoundationEssentials

@testable import CurlNetworking

/// Entry points for a fuzzer: each takes any bytes, and must neither trap nor hang.
package enum CacheFuzzing {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    /// The lines of an answer's head, through storing, age, freshness and a decision.
    package static func head(_ bytes: UnsafeRawBufferPointer) {
        guard let url = URL(string: "https://example.com/a") else { return }
        var parser = ResponseHeadParser()
        for line in ["HTTP/1.1 200 OK".utf8.map { $0 }]
            + Array(bytes).split(separator: 0x0A).map(Array.init)
        {
            line.withUnsafeBytes { try? parser.append($0) }
        }
        guard let response = parser.head else { return }
        let request = URLRequest(url: url)
        let plan = CachePlan(
            request: request, decision: .load(HTTPHeaderFields(), stores: true), entry: nil)
        let reaction = plan.react(to: response, requestTime: now, responseTime: now)
        guard case .serverAndStore(let head) = reaction.answer else { return }
        precondition(StoredHead(encoded: head.encoded[...]) == head)
        for policy in [URLRequest.CachePolicy.useProtocolCachePolicy, .reloadRevalidatingCacheData]
        {
            for later in [0, 10, 1e6, -1e6] {
                let stored = CacheEntry(head: head, body: .data(Data()))
                let decision = CacheDecision.make(
                    for: request, policy: policy, stored: head, now: now + later)
                let again = CachePlan(request: request, decision: decision, entry: stored)
                _ = again.answer(at: now + later)
                _ = again.react(to: response, requestTime: now, responseTime: now + later)
                _ = again.fallbackResponse(at: now + later)
            }
        }
    }

    package static func cacheControl(_ bytes: UnsafeRawBufferPointer) {
        let control = CacheControl(String(decoding: bytes, as: UTF8.self))
        _ = control.seconds("max-age")
        _ = control.secondsOrAny("max-stale")
        _ = control.fields(of: "no-cache")
    }

    package static func date(_ bytes: UnsafeRawBufferPointer) {
        _ = HTTPDate.parse(String(decoding: bytes, as: UTF8.self), now: now)
    }

    /// The head of a cache file; one that is taken must come out the same when written and read again.
    package static func file(_ bytes: UnsafeRawBufferPointer) {
        _ = CacheFilePreamble(Array(bytes)[...])
        guard let head = StoredHead(encoded: Array(bytes)[...]) else { return }
        precondition(StoredHead(encoded: head.encoded[...]) == head)
    }
}
