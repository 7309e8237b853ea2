import Foundation
import TestSupport
import Testing

@testable import CurlNetworking

@Suite struct ReceiveRateLimiterTests {
    private static let second: UInt64 = 1_000_000_000

    /// A line that brings a portion whenever it is read.
    @Test(arguments: [700, 20_000, 5_000_000] as [Int64])
    func noSecondBringsMuchMoreThanTheRate(rate: Int64) {
        var pace = ReceiveRateLimiter()
        let portion = ReceiveRateLimiter.portion(rate: rate, atMost: 128 << 10)
        var pieces: [(time: UInt64, count: Int)] = []
        for millisecond in 0..<10_000 {
            let now = 50 * Self.second + UInt64(millisecond) * 1_000_000
            if let resumption = pace.resumption {
                guard resumption <= now else { continue }
                pace.resume()
            }
            pace.note(portion, rate: rate, at: now)
            pieces.append((now, portion))
        }
        for start in pieces {
            let inSecond = pieces.filter {
                $0.time >= start.time && $0.time < start.time + Self.second
            }
            let count = inSecond.reduce(0) { $0 + $1.count }
            #expect(count <= Int(Double(rate) * 1.25) + 2 * portion)
        }
        let total = pieces.reduce(0) { $0 + $1.count }
        #expect(Double(total) >= Double(rate) * 9.5)
    }

    @Test func aNewRateBeginsAnew() {
        var pace = ReceiveRateLimiter()
        pace.note(1 << 20, rate: 1, at: 5 * Self.second)
        #expect(pace.resumption.map { $0 > 1000 * Self.second } == true)
        pace.begin()
        #expect(pace.resumption == nil)
        pace.note(100, rate: 1000, at: 5 * Self.second)
        // What was not used is saved.
        #expect(pace.resumption == nil)
    }

    @Test func nonsenseIsTheSlowestRate() {
        var pace = ReceiveRateLimiter()
        pace.note(.max, rate: 0, at: 0)
        #expect(pace.resumption == Self.second * Self.second)
        pace.note(.max, rate: -5, at: .max >> 2)
        #expect(ReceiveRateLimiter.portion(rate: -5, atMost: 128 << 10) == 1 << 10)
        #expect(ReceiveRateLimiter.portion(rate: .max, atMost: 128 << 10) == 128 << 10)
    }
}

/// A task's own limit, on a line that brings all at once.
@Suite(.timeLimit(.minutes(1))) struct ReceivingRateTests {
    private func makeServer(_ body: Data) throws -> LoopbackServer {
        try LoopbackServer { _ in [.answer(body: Array(body))] }
    }

    @Test(arguments: ["data", "download", "memory"]) func anAnswerKeepsToItsRate(kind: String)
        async throws
    {
        let body = makeBytes(60_000)
        let server = try makeServer(body)
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let began = ContinuousClock.now
        switch kind {
        case "memory":
            let data = await withCheckedContinuation { continuation in
                let task = session.dataTask(with: server.url()) { data, _, _ in
                    continuation.resume(returning: data)
                }
                task.maximumReceivingRate = 60_000
                task.resume()
            }
            #expect(data == body)
        default:
            let task =
                kind == "data"
                ? session.dataTask(with: server.url()) : session.downloadTask(with: server.url())
            task.maximumReceivingRate = 60_000
            task.resume()
            await delegate.completion()
            #expect(delegate.error == nil)
            #expect(task.countOfBytesReceived == 60_000)
        }
        // A quarter of it may come at once, and a portion more.
        #expect(began.duration(to: .now) >= .milliseconds(600))
    }

    /// What is waited for comes at once then, too.
    @Test func aRateThatIsLiftedHoldsNothingBack() async throws {
        let server = try makeServer(makeBytes(3_000_000))
        let delegate = RecordingDelegate {
            $0.data = { task, _ in task.maximumReceivingRate = nil }
        }
        let task = makeSession(delegate).dataTask(with: server.url())
        // All of it would take an hour.
        task.maximumReceivingRate = 800
        task.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(task.countOfBytesReceived == 3_000_000)
    }

    /// It is the task that waits, not the server.
    @Test func theTimeOfARequestDoesNotRunMeanwhile() async throws {
        let body = makeBytes(3_000)
        let server = try makeServer(body)
        let delegate = RecordingDelegate()
        var request = URLRequest(url: server.url())
        request.timeoutInterval = 1
        let task = makeSession(delegate).dataTask(with: request)
        // A portion has 1024 bytes at least: 1.3 seconds each.
        task.maximumReceivingRate = 800
        task.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(task.countOfBytesReceived == 3_000)
    }

    @Test func aTaskThatWaitsIsCancelledAtOnce() async throws {
        let server = try makeServer(makeBytes(100_000))
        let first = Signal()
        let delegate = RecordingDelegate { $0.data = { _, _ in first.add() } }
        let task = makeSession(delegate).dataTask(with: server.url())
        task.maximumReceivingRate = 1
        task.resume()
        await first.wait()
        task.cancel()
        await delegate.completion()
        #expect(delegate.error?.code == .cancelled)
    }

    /// The next attempt has a body of its own.
    @Test func whatFollowsARedirectIsNotHeldBack() async throws {
        let target = try makeServer(makeBytes(100))
        let server = try LoopbackServer { _ in
            [
                .answer(
                    "302 Found", ["Location: \(target.url().absoluteString)"],
                    body: Array(makeBytes(2_000)))
            ]
        }
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).dataTask(with: server.url())
        task.maximumReceivingRate = 1_000
        task.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(task.countOfBytesReceived == 100)
    }
}
