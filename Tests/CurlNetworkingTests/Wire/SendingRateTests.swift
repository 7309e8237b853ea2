import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

@Suite struct SendRateLimiterTests {
    private static let second: UInt64 = 1_000_000_000

    /// A line that takes all it is given, asked each millisecond.
    @Test(arguments: [1, 700, 20_000, 5_000_000] as [Int64])
    func noSecondCarriesMoreThanTheRateAndAQuarter(rate: Int64) {
        var pace = SendRateLimiter()
        var leaves: [(time: UInt64, count: Int)] = []
        for millisecond in 0..<10_000 {
            let now = 50 * Self.second + UInt64(millisecond) * 1_000_000
            if let resumption = pace.resumption, resumption > now { continue }
            let count = pace.allowance(of: 65_536, rate: rate, at: now)
            guard count > 0 else {
                #expect(pace.resumption.map { $0 > now } == true)
                continue
            }
            #expect(pace.resumption == nil)
            pace.note(count, rate: rate, at: now)
            leaves.append((now, count))
        }
        for start in leaves {
            let inSecond = leaves.filter {
                $0.time >= start.time && $0.time < start.time + Self.second
            }
            #expect(
                Double(inSecond.reduce(0) { $0 + $1.count }) <= Double(rate) * 1.25 + 1)
        }
        let total = leaves.reduce(0) { $0 + $1.count }
        #expect(Double(total) >= Double(rate) * 9.5 || rate == 1 && total >= 9)
    }

    /// A large upload is sent in many requests, each with a pace of its own.
    @Test(arguments: [100 << 10, 200 << 10, 4 << 20] as [Int64])
    func manyShortBodiesKeepToTheRateTogether(rate: Int64) {
        let (bodies, byteCount) = (25, Int(rate) * 5 / 2)
        var now = 50 * Self.second
        for _ in 0..<bodies {
            var pace = SendRateLimiter()
            var left = byteCount
            while left > 0 {
                let count = pace.allowance(of: min(left, 65_536), rate: rate, at: now)
                if count > 0 {
                    pace.note(count, rate: rate, at: now)
                    left -= count
                } else if let resumption = pace.resumption {
                    now = max(now, resumption)
                }
            }
        }
        let seconds = Double(now - 50 * Self.second) / 1e9
        let measured = Double(bodies * byteCount) / seconds
        #expect(measured <= Double(rate) * 1.001)
        #expect(measured >= Double(rate) * 0.98)
    }

    @Test func aBodyBeginsWithNothingSaved() {
        var pace = SendRateLimiter()
        #expect(pace.allowance(of: 1 << 20, rate: 1000, at: 100 * Self.second) == 0)
        #expect(pace.resumption == 100 * Self.second + 50_000_000)
        #expect(pace.allowance(of: 1 << 20, rate: 1000, at: 100 * Self.second + 50_000_000) == 50)
    }

    @Test func whatWasNotUsedIsSavedForAQuarterOfASecond() {
        var pace = SendRateLimiter()
        #expect(pace.allowance(of: 1 << 20, rate: 1000, at: 90 * Self.second) == 0)
        #expect(pace.allowance(of: 1 << 20, rate: 1000, at: 100 * Self.second) == 250)
        pace.note(250, rate: 1000, at: 100 * Self.second)
        #expect(pace.allowance(of: 1 << 20, rate: 1000, at: 100 * Self.second) == 0)
        #expect(pace.resumption == 100 * Self.second + 50_000_000)
        #expect(pace.allowance(of: 1 << 20, rate: 1000, at: 200 * Self.second) == 250)
        // What fits into the buffer is enough.
        #expect(pace.allowance(of: 10, rate: 1000, at: 200 * Self.second) == 10)
    }

    @Test func aClockThatStandsOrBeginsAtNothingDoesNoHarm() {
        var pace = SendRateLimiter()
        #expect(pace.allowance(of: 100, rate: .max, at: 0) == 0)
        // Nonsense is the slowest rate: a byte a second.
        #expect(pace.allowance(of: 100, rate: 0, at: 0) == 0)
        #expect(pace.allowance(of: 100, rate: 0, at: 5 * Self.second) == 1)
        #expect(pace.allowance(of: 100, rate: -5, at: 5 * Self.second) == 1)
        #expect(pace.allowance(of: 100, rate: .max, at: 5 * Self.second) == 100)
    }
}

/// A task's own limit, on a line that takes all it is given.
@Suite(.timeLimit(.minutes(1))) struct SendingRateTests {
    @Test(arguments: ["data", "file", "stream"]) func anUploadKeepsToItsRate(kind: String)
        async throws
    {
        let server = try LoopbackServer { _ in [.answer(body: "done")] }
        let body = makeBytes(60_000)
        let folder = try ScratchFolder()
        try body.write(to: folder.url(of: "body"))
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        let delegate = RecordingDelegate { $0.body = { InputStream(data: body) } }
        let session = makeSession(delegate)
        let task =
            switch kind {
            case "data": session.uploadTask(with: request, from: body)
            case "file": session.uploadTask(with: request, fromFile: folder.url(of: "body"))
            default: session.uploadTask(withStreamedRequest: request)
            }
        task.maximumSendingRate = 60_000
        let began = ContinuousClock.now
        task.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect((server.requests.first?.body == Array(body)) == true)
        // It takes at least its time, however fast the machine is.
        #expect(began.duration(to: .now) >= .milliseconds(950))
    }

    @Test func aRateThatIsLiftedHoldsNothingBack() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "done")] }
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        let delegate = RecordingDelegate { $0.sent = { task, _ in task.maximumSendingRate = nil } }
        let task = makeSession(delegate).uploadTask(with: request, from: makeBytes(3_000_000))
        // All of it would take an hour.
        task.maximumSendingRate = 800
        task.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(server.requests.first?.body.count == 3_000_000)
    }

    /// An answer is not held back with the body that it ends.
    @Test func aRefusalIsHeardAtOnce() async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .answer("413 No")]])
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        let session = makeSession()
        let body = makeBytes(1_000_000)
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).uploadTask(with: request, from: body)
        task.maximumSendingRate = 100
        task.resume()
        await delegate.completion()
        #expect((task.response as? HTTPURLResponse)?.statusCode == 413)
        session.invalidateAndCancel()
    }

    @Test func aSuspendedTaskStaysSuspended() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "done")] }
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        let first = Signal()
        let delegate = RecordingDelegate {
            $0.sent = { task, _ in
                if first.count == 0 { task.suspend() }
                first.add()
            }
        }
        let task = makeSession(delegate).uploadTask(with: request, from: makeBytes(3_000_000))
        task.maximumSendingRate = 60_000
        task.resume()
        await first.wait()
        // Other tasks' turns of the engine pass meanwhile.
        let other = try LoopbackServer { _ in [.answer(body: "other")] }
        for _ in 0..<50 { _ = try await makeSession().data(from: other.url()) }
        #expect(task.state == .suspended)
        #expect(server.requests.isEmpty)
        task.maximumSendingRate = nil
        task.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
    }
}
