import CurlNetworking
import Foundation
import Synchronization
import TestSupport
import Testing

/// Data tasks that become download tasks, and tasks that begin later.
@Suite(.timeLimit(.minutes(1))) struct BecomingTests {
    @Test func aDataTaskBecomesADownload() async throws {
        let body = makeBytes(1_500_000)
        let server = try LoopbackServer { _ in [.answer(body: Array(body))] }
        let delegate = RecordingDelegate { $0.response = { _ in .becomeDownload } }
        let queue = DispatchQueue(label: "test")
        let session = makeSession(delegate, on: queue)
        let task = session.dataTask(with: server.url())
        task.taskDescription = "mine"
        task.resume()
        await delegate.completion()
        #expect(delegate.calls == ["response 200", "becomes", "wrote", "file", "completed"])
        #expect(delegate.snapshot.files == [body])
        #expect(delegate.error == nil)
        let successor = try #require(delegate.snapshot.successors.first)
        #expect(successor.taskIdentifier != task.taskIdentifier)
        #expect(successor.taskDescription == "mine")
        #expect(successor.originalRequest?.url == server.url())
        #expect((successor.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(successor.state == .completed)
        #expect(task.state == .completed)
        await drain(queue)
        #expect(delegate.snapshot.completionCount == 1)
        #expect(await session.allTasks.isEmpty)
        session.finishTasksAndInvalidate()
        await delegate.invalidated()
    }

    @Test func theNewTaskCanBeCancelledWithResumeData() async throws {
        let server = try LoopbackServer(scripts: [
            [
                .readHead,
                .send(
                    "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nAccept-Ranges: bytes\r\n"
                        + "ETag: \"v1\"\r\n\r\nthe beginning"), .stall,
            ]
        ])
        let folder = try ScratchFolder()
        let delegate = RecordingDelegate { $0.response = { _ in .becomeDownload } }
        let session = makeSession(delegate) { $0.partialDownloadsFolder = folder.url(of: "p") }
        session.dataTask(with: server.url()).resume()
        await delegate.writing()
        let successor = try #require(delegate.snapshot.successors.first)
        #expect(await successor.cancelByProducingResumeData() != nil)
        await delegate.completion()
        #expect(delegate.snapshot.completionCount == 1)
        // The session holds the delegate, which keeps the task, which holds the session.
        session.finishTasksAndInvalidate()
        await delegate.invalidated()
    }

    @Test func cancellingFromTheCallEndsBoth() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let delegate = RecordingDelegate { hooks in
            hooks.response = { task in
                task.cancel()
                return .becomeDownload
            }
        }
        let session = makeSession(delegate)
        session.dataTask(with: server.url()).resume()
        await delegate.completion()
        #expect(delegate.calls == ["response 200", "completed"])
        #expect(delegate.error?.code == .cancelled)
        session.finishTasksAndInvalidate()
        await delegate.invalidated()
    }

    // MARK: - Beginning later

    @Test func aTaskWaitsForItsDate() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let date = Date().addingTimeInterval(0.3)
        let askedInTime = Mutex(false)
        let delegate = RecordingDelegate { hooks in
            hooks.delayed = { _ in
                askedInTime.withLock { $0 = Date() >= date }
                return (.continueLoading, nil)
            }
        }
        let task = makeSession(delegate).dataTask(with: server.url("/late"))
        task.earliestBeginDate = date
        #expect(task.earliestBeginDate == date)
        task.resume()
        await delegate.completion()
        #expect(askedInTime.withLock { $0 })
        #expect(server.requests.map(\.target) == ["/late"])
        #expect(delegate.calls == ["delayed", "response 200", "data", "completed"])
    }

    @Test func theDelegateCanChangeOrCancelWhatBegins() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let new = URLRequest(url: server.url("/new"))
        for (disposition, request) in [
            (.useNewRequest, new), (.cancel, nil), (.useNewRequest, nil),
        ] as [(URLSession.DelayedRequestDisposition, URLRequest?)] {
            let delegate = RecordingDelegate { $0.delayed = { _ in (disposition, request) } }
            let task = makeSession(delegate).dataTask(with: server.url("/old"))
            task.earliestBeginDate = Date().addingTimeInterval(0.02)
            task.resume()
            await delegate.completion()
            #expect((delegate.error == nil) == (request != nil))
            if disposition == .cancel { #expect(delegate.error?.code == .cancelled) }
        }
        #expect(server.requests.map(\.target) == ["/new"])
    }

    @Test func theNewRequestsBodyMayBeAStream() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        var new = URLRequest(url: server.url("/new"))
        new.httpMethod = "POST"
        let stream = Mutex<InputStream?>(InputStream(data: makeBytes(5000)))
        let plain = new
        let delegate = RecordingDelegate {
            $0.delayed = { _ in
                var request = plain
                request.httpBodyStream = stream.withLock { $0.take() }
                return (.useNewRequest, request)
            }
        }
        let task = makeSession(delegate).dataTask(with: server.url("/old"))
        task.earliestBeginDate = Date().addingTimeInterval(0.02)
        task.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(server.requests.map(\.body.count) == [5000])
    }

    /// The session's delegate gets what a task's own delegate has no method for.
    @Test func theSessionsDelegateHearsWhatATaskBecomes() async throws {
        final class Metrics: URLSessionTaskDelegate {}
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let delegate = RecordingDelegate { $0.response = { _ in .becomeDownload } }
        let task = makeSession(delegate).dataTask(with: server.url())
        task.delegate = Metrics()
        task.resume()
        await delegate.completion()
        #expect(delegate.calls.contains("becomes"))
    }

    @Test func aTaskThatWaitsLetsOthersPassAndCanBeCancelled() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url("/late"))
        task.earliestBeginDate = .distantFuture
        task.resume()
        _ = try await session.data(from: server.url("/other"))
        #expect(task.state == .running)
        task.cancel()
        await delegate.completion()
        #expect(delegate.error?.code == .cancelled)
        #expect(delegate.calls == ["completed"])
        #expect(server.requests.map(\.target) == ["/other"])
    }
}
