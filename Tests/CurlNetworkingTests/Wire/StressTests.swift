import CurlNetworking
import Foundation
import TestSupport
import Testing

/// Many tasks and sessions at once, small enough for every test run; `make bench` has them at full size.
@Suite(.timeLimit(.minutes(2))) struct StressTests {
    @Test func aThousandTasksShareSixConnections() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "ok")] }
        let session = URLSession(configuration: .ephemeral)
        let byteCount = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1000 {
                group.addTask { try await session.data(from: server.url()).0.count }
            }
            return try await group.reduce(0, +)
        }
        #expect(byteCount == 2000)
        #expect(server.requests.count == 1000)
        #expect((1...6).contains(server.connectionCount))
        #expect(await session.allTasks.isEmpty)
    }

    @Test func sessionsThatBreakOffMidwayLeaveNothingOpen() async throws {
        let server = try LoopbackServer { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n"),
                .fill(0x61, byteCount: 100_000_000),
            ]
        }
        let count = 300
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                if index >= 8 { try await group.next() }
                group.addTask {
                    let delegate = RecordingDelegate { $0.data = { task, _ in task.cancel() } }
                    let session = URLSession(
                        configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
                    session.dataTask(with: server.url()).resume()
                    await delegate.completion()
                    session.invalidateAndCancel()
                    await delegate.invalidated()
                    #expect(
                        delegate.error?.code == .cancelled, "\(delegate.error.debugDescription)")
                    #expect(delegate.snapshot.completionCount == 1)
                }
            }
            try await group.waitForAll()
        }
        #expect(server.connectionCount == count)
        for index in 0..<count { await server.end(ofConnection: index) }
    }

    @Test func uploadsThatBreakOffMidwayLeaveNothingOpen() async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .stall]])
        let folder = try ScratchFolder()
        let file = folder.url(of: "body")
        try folder.put(Data(count: 8 << 20), "body")
        let session = URLSession(configuration: .ephemeral)
        for index in 0..<50 {
            var request = URLRequest(url: server.url())
            request.httpMethod = "PUT"
            let upload = Task { [request] in try await session.upload(for: request, fromFile: file)
            }
            await server.bytes(atLeast: 1000, on: index)
            upload.cancel()
            await #expect(throws: URLError.self) { try await upload.value }
            await server.end(ofConnection: index)
        }
    }
}
