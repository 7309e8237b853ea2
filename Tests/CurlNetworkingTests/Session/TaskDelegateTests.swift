import CurlNetworking
import Foundation
import Synchronization
import TestSupport
import Testing

/// A task's own delegate and the session's.
@Suite(.timeLimit(.minutes(1))) struct TaskDelegateTests {
    private final class Silent: URLSessionTaskDelegate {}

    @Test func whatTheTasksDelegateHasNoMethodForGoesToTheSessions() async throws {
        let server = try LoopbackServer { request in
            request.target == "/" ? [.answer("302 X", ["Location: /b"])] : [.answer(body: "x")]
        }
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).dataTask(with: server.url())
        task.delegate = Silent()
        task.resume()
        await delegate.completion()
        #expect(delegate.calls == ["redirect 302", "response 200", "data", "completed"])
    }

    @Test func whatTheTasksDelegateHasAMethodForDoesNot() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let delegate = RecordingDelegate()
        let own = RecordingDelegate()
        let task = makeSession(delegate).dataTask(with: server.url())
        task.delegate = own
        task.resume()
        await own.completion()
        #expect(own.calls == ["response 200", "data", "completed"])
        #expect(delegate.calls == [])
    }

    @Test func creationIsReportedBeforeTheTaskIsReturned() throws {
        let delegate = RecordingDelegate()
        let queue = DispatchQueue(label: "test")
        queue.suspend()
        defer { queue.resume() }
        let session = makeSession(delegate, on: queue)
        let url = try #require(URL(string: "http://localhost/"))
        for identifier in 1...2 {
            let task = session.dataTask(with: url)
            #expect(delegate.snapshot.created.last == identifier)
            #expect(task.taskIdentifier == identifier)
        }
    }

    @Test func aTasksOwnDelegateHearsOfItsCreationInPlaceOfTheSessions()
        async throws
    {
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let delegate = RecordingDelegate()
        let own = RecordingDelegate()
        let session = makeSession(delegate)
        _ = try await session.data(from: server.url(), delegate: own)
        #expect(own.snapshot.created == [1])
        #expect(delegate.snapshot.created == [])
        _ = try await session.data(from: server.url(), delegate: Silent())
        #expect(delegate.snapshot.created == [2])
    }

    @Test func theDelegateOfAnAwaitedDataTaskWatchesTheBody() async throws {
        let body = makeBytes(700_000)
        let server = try LoopbackServer { _ in [.answer(body: Array(body))] }
        let own = RecordingDelegate()
        let (data, _) = try await makeSession().data(from: server.url(), delegate: own)
        #expect(data == body)
        #expect(own.body == body)
    }

    @Test func theDelegateOfAnAwaitedDownloadWatchesItsProgressAlone() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "12345")] }
        let own = RecordingDelegate()
        let (file, _) = try await makeSession().download(from: server.url(), delegate: own)
        #expect(try Data(contentsOf: file) == Data("12345".utf8))
        try FileManager.default.removeItem(at: file)
        #expect(own.calls == ["wrote"])
        #expect(own.snapshot.progress == [[5, 5, 5]])
    }
}
