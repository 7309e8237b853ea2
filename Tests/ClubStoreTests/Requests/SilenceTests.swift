import CurlNetworking
import Foundation
import Synchronization
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

    /// Each byte restarts the time limit of a request.
    @Test func aServerThatDripsIsGivenUp() async throws {
        let drops = [UInt8](repeating: UInt8(ascii: " "), count: 100_000)
        let server = try LoopbackServer(scripts: [
            [
                .readHead, .send("HTTP/1.1 200 OK\r\nContent-Length: \(drops.count)\r\n\r\n"),
                .trickle(drops, pieceByteCount: 1, every: .milliseconds(50)),
            ]
        ])
        defer { server.stop() }
        let loader = HTTPLoader(
            configuration: HTTPLoader.makeConfiguration(timeout: .seconds(1)),
            silenceInterval: .milliseconds(100))
        let request = URLRequest(url: server.url())
        let notices = Mutex(0)
        let result = await RetryNotice.$observer.withValue({ _ in notices.withLock { $0 += 1 } }) {
            await Task { try await loader.load(request, limit: 200_000) }.result
        }
        let error = #expect(throws: HTTPLoader.Failure.self) { try result.get() }
        guard case .transport(let cause) = error else {
            Issue.record("\(result)")
            return
        }
        #expect(cause.code == .timedOut)
        #expect(notices.withLock { $0 } > 0)
    }

    @Test func aDripBeginsWithTheFirstByteAndEndsWithMany() {
        var drip = SilenceWatch.Drip()
        for _ in 1...9 { drip.note(0, isRunning: true) }
        #expect(drip.stepCount == 0)
        for received in 1...9 { drip.note(Int64(received), isRunning: true) }
        #expect(drip.stepCount == 9 && drip.byteCount == 9)
        drip.note(10, isRunning: false)
        #expect(drip.stepCount == 0 && drip.byteCount == 0)
        drip.note(12, isRunning: true)
        #expect(drip.stepCount == 1 && drip.byteCount == 2)
        drip.note(1000, isRunning: true)
        #expect(drip.stepCount == 0 && drip.byteCount == 0)
    }
}
