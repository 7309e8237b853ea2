import CurlNetworking
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ProgressTests {
    // MARK: - Alone

    @Test func countsAndTellsAFraction() {
        let progress = Progress(totalUnitCount: 8)
        #expect(progress.fractionCompleted == 0)
        #expect(!progress.isIndeterminate)
        progress.completedUnitCount = 2
        #expect(progress.fractionCompleted == 0.25)
        progress.completedUnitCount = 8
        #expect(progress.isFinished)
        #expect(progress.fractionCompleted == 1)
        progress.totalUnitCount = -1
        #expect(progress.isIndeterminate)
        #expect(progress.fractionCompleted == 0)
        #expect(!progress.isFinished)
    }

    @Test func addsUpItsChildren() {
        let parent = Progress(totalUnitCount: 10)
        parent.completedUnitCount = 1
        let child = Progress(totalUnitCount: 100)
        parent.addChild(child, withPendingUnitCount: 5)
        child.completedUnitCount = 50
        #expect(parent.fractionCompleted == 0.35)
        #expect(parent.completedUnitCount == 1)
        child.completedUnitCount = 100
        #expect(parent.completedUnitCount == 6)
        let late = Signal()
        parent.cancel()
        child.cancellationHandler = { late.add() }
        #expect(child.isCancelled)
        #expect(late.count == 1)
    }

    @Test func observersHearOfTheLastChange() async {
        let queue = DispatchQueue(label: "test")
        let progress = Progress(totalUnitCount: 1000, queue: queue)
        let seen = Mutex<[Double]>([])
        let observation = progress.observe(\.fractionCompleted, options: [.initial, .new]) {
            progress, change in
            dispatchPrecondition(condition: .notOnQueue(.main))
            seen.withLock { $0.append(change.newValue ?? -1) }
        }
        for count in 1...1000 { progress.completedUnitCount = Int64(count) }
        await drain(queue)
        #expect(seen.withLock { $0.first } == 0)
        #expect(seen.withLock { $0.last } == 1)
        observation.invalidate()
        progress.completedUnitCount = 500
        await drain(queue)
        #expect(seen.withLock { $0.last } == 1)
    }

    @Test func aSequenceOfFractionsEndsWithTheWhole() async {
        for _ in 0..<200 {  // the end may come while a value is told
            let progress = Progress(totalUnitCount: 4)
            let fractions = progress.fractions
            let reader = Task {
                var seen: [Double] = []
                for await fraction in fractions { seen.append(fraction) }
                return seen
            }
            for count in 1...4 { progress.completedUnitCount = Int64(count) }
            let seen = await reader.value
            #expect(seen.last == 1)
            #expect(seen == seen.sorted())
        }
    }

    // MARK: - Of a task

    @Test func followsADownload() async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"),
                .send([UInt8](repeating: 1, count: 250)), .wait(gate),
                .send([UInt8](repeating: 2, count: 750)),
            ]
        }
        let session = makeSession()
        let done = Signal()
        let task = session.downloadTask(with: server.url()) { _, _, _ in done.add() }
        let progress = task.progress
        #expect(progress.isIndeterminate)
        let quarter = Signal()
        let observation = progress.observe(\.fractionCompleted) { progress, _ in
            if progress.fractionCompleted == 0.25 { quarter.add() }
        }
        task.resume()
        await quarter.wait()
        #expect(progress.totalUnitCount == 1000)
        #expect(progress.completedUnitCount == 250)
        gate.open()
        await done.wait()
        #expect(progress.isFinished)
        #expect(progress.completedUnitCount == 1000)
        #expect(task.progress === progress)
        observation.invalidate()
    }

    @Test func aLengthThatCannotBeCountedIsUnknown() async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer(scripts: [
            [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(Int64.max)\r\n\r\nx"),
                .wait(gate),
            ]
        ])
        let received = Signal()
        let delegate = RecordingDelegate { hooks in
            hooks.data = { _, _ in received.add() }
        }
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        let task = makeSession(delegate).uploadTask(with: request, from: makeBytes(5000))
        let progress = task.progress
        task.resume()
        await received.wait()
        #expect(progress.isIndeterminate)
        #expect(progress.completedUnitCount == 5001)
        gate.open()
        await delegate.completion()
        #expect(delegate.error != nil)
    }

    @Test func aBodyOfADataTaskCounts() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "done")] }
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        request.httpBody = makeBytes(5000)
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).dataTask(with: request)
        task.resume()
        await delegate.completion()
        #expect(task.countOfBytesSent == 5000)
        #expect(task.countOfBytesExpectedToSend == 5000)
        #expect(task.progress.totalUnitCount == 5004)
    }

    @Test func anUploadIsFinishedOnlyWhenItWasAnswered() async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer(scripts: [
            [.readRequest, .wait(gate), .answer("201 Created", body: "done")]
        ])
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        let done = Signal()
        let task = makeSession().uploadTask(with: request, from: makeBytes(5000)) { _, _, _ in
            done.add()
        }
        let progress = task.progress
        task.resume()
        await server.requests(atLeast: 1)
        #expect(!progress.isFinished)
        #expect(progress.fractionCompleted < 1)
        gate.open()
        await done.wait()
        #expect(progress.fractionCompleted == 1)
        #expect(progress.totalUnitCount == 5004)
    }

    @Test func cancelsAndPausesItsTask() async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .stall]])
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).dataTask(with: server.url())
        task.resume()
        await server.bytes(atLeast: 10)
        task.progress.pause()
        #expect(task.state == .suspended)
        task.progress.resume()
        #expect(task.state == .running)
        task.progress.cancel()
        await delegate.completion()
        #expect(delegate.error?.code == .cancelled)
        #expect(!task.progress.isFinished)
    }

    @Test func whatTheClientExpectsStandsInForALengthThatNobodyTells() async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer { _ in
            [
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"),
                .wait(gate), .send("4\r\n-way\r\n0\r\n\r\n"),
            ]
        }
        let delegate = RecordingDelegate { $0.data = { _, _ in gate.open() } }
        let task = makeSession(delegate).dataTask(with: server.url())
        #expect(task.countOfBytesClientExpectsToReceive == NSURLSessionTransferSizeUnknown)
        task.countOfBytesClientExpectsToReceive = 16
        let progress = task.progress
        let quarter = Signal()
        let observation = progress.observe(\.completedUnitCount) { progress, _ in
            if progress.fractionCompleted == 0.25 { quarter.add() }
        }
        task.resume()
        await delegate.completion()
        #expect(progress.totalUnitCount == 8)
        #expect(progress.isFinished)
        observation.invalidate()
    }

    // MARK: - Delivery

    @Test func aTaskThatPrefersItGetsItsBodyInOneCall() async throws {
        let body = makeBytes(3_000_000)
        let server = try LoopbackServer { _ in [.answer(body: Array(body))] }
        let pieces = Mutex<[Int]>([])
        let delegate = RecordingDelegate { hooks in
            hooks.data = { _, data in pieces.withLock { $0.append(data.count) } }
        }
        let task = makeSession(delegate).dataTask(with: server.url())
        #expect(task.prefersIncrementalDelivery)
        task.prefersIncrementalDelivery = false
        task.resume()
        await delegate.completion()
        #expect(pieces.withLock { $0 } == [3_000_000])
        #expect(delegate.body == body)
        #expect(delegate.calls == ["response 200", "data", "completed"])
    }
}
