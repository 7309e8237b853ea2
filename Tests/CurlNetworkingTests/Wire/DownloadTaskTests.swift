import CurlNetworking
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct DownloadTaskTests {
    @Test(arguments: [0, 5, 4_000_000]) func bringsAFileThatIsGoneAfterTheCall(count: Int)
        async throws
    {
        let body = makeBytes(count)
        let server = try LoopbackServer { _ in [.answer(body: Array(body))] }
        let place = Mutex<URL?>(nil)
        let delegate = RecordingDelegate { hooks in
            hooks.file = { url in place.withLock { $0 = url } }
        }
        let task = makeSession(delegate).downloadTask(with: server.url())
        task.resume()
        await delegate.completion()
        let record = delegate.snapshot
        #expect(record.calls == (count == 0 ? [] : ["wrote"]) + ["file", "completed"])
        #expect(record.files == [body])
        #expect(record.progress.map { $0[0] }.reduce(0, +) == Int64(count))
        #expect(record.progress.allSatisfy { $0[2] == Int64(count) })
        let url = try #require(place.withLock { $0 })
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test func aFileThatWasMovedStays() async throws {
        let folder = try ScratchFolder()
        let goal = folder.url(of: "mine")
        let server = try LoopbackServer { _ in [.answer(body: "content")] }
        let done = Signal()
        makeSession().downloadTask(with: server.url()) { url, response, error in
            if let url { try? FileManager.default.moveItem(at: url, to: goal) }
            done.add()
        }.resume()
        await done.wait()
        #expect(try String(contentsOf: goal, encoding: .utf8) == "content")
    }

    @Test(arguments: [true, false]) func aHandlersDownloadTellsTheSessionsDelegateHowFarItIs(
        isAwaited: Bool
    ) async throws {
        let server = try LoopbackServer { _ in [.answer(body: "content")] }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        if isAwaited {
            let (url, _) = try await session.download(from: server.url())
            try FileManager.default.removeItem(at: url)
        } else {
            let done = Signal()
            session.downloadTask(with: server.url()) { _, _, _ in done.add() }.resume()
            await done.wait()
        }
        #expect(delegate.snapshot.progress.last == [7, 7, 7])
        #expect(!delegate.calls.contains("file"))
    }

    @Test func theAsyncFormLeavesTheFileToItsCaller() async throws {
        let server = try LoopbackServer { _ in [.answer("404 Not Found", body: "words")] }
        let (url, response) = try await makeSession().download(from: server.url())
        defer { try? FileManager.default.removeItem(at: url) }
        #expect((response as? HTTPURLResponse)?.statusCode == 404)
        #expect(try String(contentsOf: url, encoding: .utf8) == "words")
    }

    @Test func aTornDownloadLeavesNoFile() async throws {
        let mark = "half of it: \(UUID())"
        let gate = LoopbackGate()
        let server = try LoopbackServer(scripts: [
            [
                .readHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + mark),
                .wait(gate), .close,
            ]
        ])
        let delegate = RecordingDelegate()
        makeSession(delegate).downloadTask(with: server.url()).resume()
        await delegate.writing()
        #expect(temporaryFiles(holding: mark) == 1)
        gate.open()
        await delegate.completion()
        #expect(delegate.error?.code == .networkConnectionLost)
        #expect(!delegate.calls.contains("file"))
        #expect(temporaryFiles(holding: mark) == 0)
    }

    /// Other tests download at the same time: only the content tells whose file it is.
    private func temporaryFiles(holding text: String) -> Int {
        let folder = FileManager.default.temporaryDirectory
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { name in
            guard name.hasPrefix("CurlNetworkingDownload_") else { return false }
            return (try? Data(contentsOf: folder.appending(path: name))) == Data(text.utf8)
        }.count
    }
}
