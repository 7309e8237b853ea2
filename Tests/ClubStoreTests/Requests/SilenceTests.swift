import CurlNetworking
import Foundation
import TestSupport
import Testing

@testable import ClubStore

/// A server that takes a request and hangs looks like a slow one; its caller hears of it early.
@Suite struct SilenceTests {
    @Test func tellsThatAServerIsSilent() async throws {
        let server = try LoopbackServer(scripts: [[.readRequest, .stall]])
        defer { server.stop() }
        let loader = HTTPLoader(
            configuration: HTTPLoader.makeConfiguration(timeout: .seconds(60)),
            silenceInterval: .milliseconds(20))
        let (notices, reported) = AsyncStream.makeStream(of: RetryNotice.self)
        let request = URLRequest(url: server.url())
        let loading = RetryNotice.$observer.withValue({ reported.yield($0) }) {
            Task { try await loader.load(request, limit: 100) }
        }
        var first: [RetryNotice] = []
        for await notice in notices {
            first.append(notice)
            if first.count == 2 { break }
        }
        loading.cancel()
        _ = await loading.result
        #expect(
            first.map(\.reason) == [.silent(.milliseconds(20)), .silent(.milliseconds(40))])
        #expect(first[0].wait < .seconds(60) && first[1].wait < first[0].wait)
    }
}
