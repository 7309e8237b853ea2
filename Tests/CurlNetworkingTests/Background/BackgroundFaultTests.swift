import CByteClubBackgroundHelper
import Foundation
import Glibc
import TestSupport
import Testing

@testable import CurlNetworking

/// kill -9 of each party, at the worst moments there are.
@Suite(.timeLimit(.minutes(2))) struct BackgroundFaultTests {
    // MARK: - The program

    @Test func aDownloadOutlivesItsProgramAndIsToldToTheNextSession() async throws {
        let home = try BackgroundHome()
        let gate = LoopbackGate()
        let body = makeBytes(500_000)
        let server = try LoopbackServer { _ in [.wait(gate), .answer(body: Array(body))] }
        let program = try BackgroundProgram(home)
        program.say("download \(server.url("/photo"))")
        await server.requests(atLeast: 1)
        program.kill()
        gate.open()
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        await delegate.eventsFinished()
        #expect(delegate.snapshot.files == [body])
        #expect(delegate.calls.suffix(3) == ["file", "completed", "events"])
        #expect(delegate.error == nil)
        #expect(server.connectionCount == 1, "the same transfer went on")
        await session.background?.calm()
        #expect(home.journalNames == [])
        #expect(home.resultNames == [])
    }

    @Test func endsThatNobodyWasThereForAreToldBeforeTheEventsAreFinished() async throws {
        let home = try BackgroundHome(restSeconds: 1)
        let server = try LoopbackServer { request in
            request.target == "/bad" ? [.reset] : [.answer(body: "ok " + request.target)]
        }
        let file = try home.makeFile(Data("photo".utf8))
        let gate = LoopbackGate()
        let slow = try LoopbackServer { _ in [.wait(gate), .answer("201 Created", body: "7")] }
        let program = try BackgroundProgram(home)
        program.say("download \(server.url("/a"))")
        await program.heard("complete 1")
        program.say("upload \(slow.url("/b")) \(file.path)")
        program.say("upload \(slow.url("/c")) \(home.path(of: "missing"))")
        await program.heard("complete 3")
        await slow.requests(atLeast: 1)
        // Killed any sooner, the program would not have passed on that it has heard of it.
        try await eventually("the program has reported it", in: URL(filePath: home.path)) {
            !home.journalNames.contains { $0.hasSuffix("-3.task") }
        }
        let helper = try #require(home.helpers.first)
        program.kill()
        // The helper finishes, finds that nobody is there, and exits on its own.
        await BackgroundHome.end(of: helper) { gate.open() }
        #expect(
            BackgroundTransfers(environment: home.environment).identifiersWithPendingEvents
                == ["test"])
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        await delegate.eventsFinished()
        #expect(delegate.calls == ["response 201", "data", "completed", "events"])
        #expect(String(decoding: delegate.body, as: UTF8.self) == "7")
        #expect(delegate.snapshot.completionCount == 1)
        await session.background?.calm()
        #expect(home.journalNames == [])
        // A task that is made now is not taken for one of before.
        let task = session.downloadTask(with: server.url("/d"))
        #expect(task.taskIdentifier > 2)
    }

    @Test func aProgramThatExitsAtOnceHasHandedItsTasksOver() async throws {
        let home = try BackgroundHome()
        // An answer that came before its end the program would hear itself.
        let gate = LoopbackGate()
        let server = try LoopbackServer { _ in [.wait(gate), .answer(body: "late")] }
        let program = try BackgroundProgram(home)
        program.say("download \(server.url())")
        program.say("quit")
        await program.end()
        gate.open()
        let delegate = RecordingDelegate()
        _ = home.session("test", delegate)
        await delegate.eventsFinished()
        #expect(delegate.snapshot.files == [Data("late".utf8)])
    }

    @Test func aProgramThatIsStoppedMissesNothing() async throws {
        let home = try BackgroundHome()
        let gate = LoopbackGate()
        let server = try LoopbackServer { _ in
            [.wait(gate), .answer(body: "while you slept"), .close]
        }
        let program = try BackgroundProgram(home)
        program.say("download \(server.url())")
        await server.requests(atLeast: 1)
        kill(program.process, SIGSTOP)
        gate.open()
        await server.end()
        kill(program.process, SIGCONT)
        #expect(await program.heard("file") == "file 1 15")
        #expect(await program.heard("complete") == "complete 1 0")
    }

    @Test func tasksUnderWayAreFoundAgainAsTheyWere() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer(scripts: [[.readHead, .stall]])
        let first = RecordingDelegate()
        var session: URLSession? = home.session("test", first)
        do {
            let session = try #require(session)
            var request = URLRequest(url: server.url("/one"))
            request.setValue("v", forHTTPHeaderField: "X-Field")
            let one = session.downloadTask(with: request)
            one.taskDescription = "the first"
            one.resume()
            var put = URLRequest(url: server.url("/two"))
            put.httpMethod = "PUT"
            let two = session.uploadTask(with: put, fromFile: try home.makeFile(Data("x".utf8)))
            two.priority = 0.75
            two.resume()
            two.suspend()
            two.taskDescription = "the second"
            await server.connections(atLeast: 1)
            await session.background?.calm()
            await session.background?.abandon()
        }
        session = nil
        let second = RecordingDelegate()
        let again = home.session("test", second)
        let tasks = await again.allTasks
        #expect(tasks.map(\.taskIdentifier) == [1, 2])
        #expect(tasks.first is URLSessionDownloadTask)
        #expect(tasks.last is URLSessionUploadTask)
        #expect(tasks.map(\.taskDescription) == ["the first", "the second"])
        #expect(tasks.map(\.state) == [.running, .suspended])
        #expect(tasks.first?.originalRequest?.value(forHTTPHeaderField: "X-Field") == "v")
        #expect(tasks.last?.originalRequest?.httpMethod == "PUT")
        #expect(tasks.last?.priority == 0.75)
        for task in tasks { task.cancel() }
        await second.completion(of: 2)
        await again.background?.calm()
        #expect(home.journalNames == [])
    }

    @Test func aSuspendedTaskKeepsNoHelperAndWaitsForItsProgram() async throws {
        let home = try BackgroundHome(restSeconds: 0.5)
        let server = try LoopbackServer(scripts: [
            [.readHead, .stall], [.readHead, .answer(body: "now")],
        ])
        let first = home.session("test", RecordingDelegate())
        let task = first.downloadTask(with: server.url())
        task.resume()
        await server.requestHead()
        await first.background?.calm()
        task.suspend()
        let helper = try #require(home.helpers.first)
        await first.background?.abandon()
        await BackgroundHome.end(of: helper)
        #expect(home.journalNames.count == 1)
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        let found = try #require(await session.allTasks.first)
        #expect(found.state == .suspended)
        found.resume()
        await delegate.eventsFinished()
        #expect(delegate.snapshot.files == [Data("now".utf8)])
    }

    // MARK: - The helper

    @Test(arguments: [false, true])
    func aDownloadGoesOnWhereAKilledHelperWas(isProgramKilledToo: Bool) async throws {
        let home = try BackgroundHome()
        let gate = LoopbackGate()
        let body = makeBytes(1 << 20)
        let server = try LoopbackServer { request in
            guard let range = request["Range"],
                let start = Int(range.dropFirst("bytes=".count).dropLast())
            else {
                let head =
                    "HTTP/1.1 200 OK\r\nETag: \"v\"\r\nAccept-Ranges: bytes\r\n"
                    + "Content-Length: \(body.count)\r\n\r\n"
                return [.send(head), .send(Array(body.prefix(700_000))), .wait(gate), .close]
            }
            return [
                .answer(
                    "206 Partial Content",
                    [
                        "ETag: \"v\"",
                        "Content-Range: bytes \(start)-\(body.count - 1)/\(body.count)",
                    ], body: Array(body.dropFirst(start)))
            ]
        }
        let delegate: RecordingDelegate
        if isProgramKilledToo {
            let program = try BackgroundProgram(home)
            program.say("download \(server.url())")
            await program.heard("wrote")
            program.kill()
            await BackgroundHome.kill(try #require(home.helpers.first))
            delegate = RecordingDelegate()
            _ = home.session("test", delegate)
            await delegate.eventsFinished()
        } else {
            let begun = Signal()
            delegate = RecordingDelegate { $0.wrote = { _, _ in begun.add() } }
            let session = home.session("test", delegate)
            session.downloadTask(with: server.url()).resume()
            await begun.wait()
            await BackgroundHome.kill(try #require(home.helpers.first))
            await delegate.completion()
        }
        gate.open()
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files == [body])
        #expect(delegate.snapshot.completionCount == 1)
        let range = try #require(server.requests.last?["Range"])
        #expect(range != "bytes=0-")
        #expect(server.requests.last?["If-Range"] == "\"v\"")
        #expect(server.requests.count == 2)
    }

    /// The server may have carried it out. A helper that is asked to go knows as little as a killed one.
    @Test(arguments: [SIGKILL, 0])
    func aPostThatWasSentWholeIsNotSentAgainByTheNextHelper(signal: Int32) async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer(scripts: [
            [.readRequest, .stall], [.readRequest, .answer("201 Created")],
        ])
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        let file = try home.makeFile(makeBytes(50_000))
        let task = session.uploadTask(with: request, fromFile: file)
        task.resume()
        await server.requests(atLeast: 1)
        try await eventually("a record that it was sent", in: URL(filePath: home.path)) {
            home.records.first?.mayBeSent == true
        }
        let helper = try #require(home.helpers.first)
        if signal == SIGKILL {
            await BackgroundHome.kill(helper)
        } else {
            await BackgroundHome.end(of: helper) {
                let newer = BackgroundSocket.connect(to: home.places.socket)
                let frame = try? BackgroundFrame.encode(
                    BackgroundRequest.hello(version: BackgroundVersion.current + 1))
                if let newer, let frame {
                    _ = Array(frame).withUnsafeBytes {
                        send(newer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                }
            }
        }
        await delegate.completion()
        #expect(delegate.error?.code == .networkConnectionLost)
        #expect(delegate.error?.underlyingText?.contains("not sent again") == true)
        #expect(server.requests.count == 1)
        await session.background?.calm()
        #expect(home.journalNames == [])
    }

    @Test func anUploadStartsAgainWhenTheHelperIsKilled() async throws {
        let home = try BackgroundHome()
        let body = makeBytes(3 << 20)
        let server = try LoopbackServer(scripts: [
            [.read(byteCount: 100_000), .stall], [.readRequest, .answer("201 Created")],
        ])
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        let task = session.uploadTask(with: request, fromFile: try home.makeFile(body))
        task.resume()
        await server.bytes(atLeast: 100_000)
        await BackgroundHome.kill(try #require(home.helpers.first))
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect((task.response as? HTTPURLResponse)?.statusCode == 201)
        #expect(server.requests.last?.body == Array(body))
    }

    @Test func aTaskThatKillsItsHelperEachTimeIsGivenUp() async throws {
        let home = try BackgroundHome()
        var journal = try BackgroundJournal(path: home.places.journal)
        var record = BackgroundTaskRecord(
            number: 1, session: "test", kind: .download(resumeData: nil),
            request: .init(url: "http://127.0.0.1:1/x", method: "GET", fields: []),
            created: Int64(Date.now.timeIntervalSince1970), key: 7)
        for _ in 0..<BackgroundTaskRecord.maximumInterruptions {
            #expect(record.apply(.start) == .applied)
            #expect(record.apply(.interrupt) == .applied)
        }
        try journal.add(record)
        let delegate = RecordingDelegate()
        _ = home.session("test", delegate)
        await delegate.completion()
        #expect(delegate.error?.code == .backgroundSessionWasDisconnected)
    }

    @Test func theTimeWithoutAHelperCounts() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer { _ in [.answer(body: "too late")] }
        var journal = try BackgroundJournal(path: home.places.journal)
        let week = BackgroundSettings(SessionSettings()).resourceTimeout
        try journal.add(
            BackgroundTaskRecord(
                number: 1, session: "test", kind: .download(resumeData: nil),
                request: .init(url: server.url().absoluteString, method: "GET", fields: []),
                created: Int64(Date.now.timeIntervalSince1970 - week - 1), key: 7))
        let delegate = RecordingDelegate()
        _ = home.session("test", delegate)
        await delegate.completion()
        #expect(delegate.error?.code == .timedOut)
        #expect(delegate.snapshot.files == [])
        #expect(server.connectionCount == 0)
    }

    @Test func whatAHelperLeftInItsPlaceDoesNotHinderTheNext() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        // A socket nobody listens on any more, a lock nobody holds, results of nobody.
        _ = try PrivateFolder(path: home.places.state)
        _ = try PrivateFolder(path: home.places.runtime)
        close(try BackgroundSocket.listen(at: home.places.socket))
        try AtomicFile.write(Data(home.places.socket.utf8), to: home.places.lock)
        _ = try PrivateFolder(path: home.places.results).write(Data("old".utf8), to: "stray")
        let delegate = RecordingDelegate()
        home.session("test", delegate).downloadTask(with: server.url()).resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(!home.resultNames.contains("stray"))
    }

    @Test func manyThatStartAtOnceFindOneHelper() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let programs = try (0..<4).map { try BackgroundProgram(home, "program \($0)") }
        let delegate = RecordingDelegate()
        for program in programs { await program.heard("ready") }
        for program in programs { program.say("download \(server.url())") }
        for number in 0..<6 {
            home.session("session \(number)", delegate).downloadTask(with: server.url()).resume()
        }
        await delegate.completion(of: 6)
        for program in programs { #expect(await program.heard("complete") == "complete 1 0") }
        #expect(home.helpers.count == 1)
        #expect(server.requests.count == 10)
    }

    // MARK: - Disks

    @Test func aFullDiskFailsTheTaskAndTheNextOneGoesWell() async throws {
        let home = try BackgroundHome()
        let gate = LoopbackGate()
        let server = try LoopbackServer { request in
            request.target == "/large"
                ? [.wait(gate), .answer(body: Array(makeBytes(500_000)))] : [.answer(body: "x")]
        }
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        session.downloadTask(with: server.url("/large")).resume()
        await server.requests(atLeast: 1)
        let helper = try #require(home.helpers.first)
        // Files of the helper may not grow: to it, the disk is full.
        try BackgroundHome.limitFiles(of: helper, to: 100_000)
        gate.open()
        await delegate.completion()
        #expect(delegate.error?.code == .cannotWriteToFile)
        try BackgroundHome.limitFiles(of: helper, to: 10)
        session.downloadTask(with: server.url()).resume()
        await delegate.completion(of: 2)
        #expect(delegate.error?.code == .cannotWriteToFile)
        try BackgroundHome.limitFiles(of: helper, to: nil)
        session.downloadTask(with: server.url()).resume()
        await delegate.completion(of: 3)
        #expect(delegate.error == nil)
        #expect(home.helpers == [helper])
        await session.background?.calm()
        #expect(home.partNames == [])
        #expect(home.journalNames == [])
    }

    @Test func aDamagedRecordCostsOneTaskAndIsKeptForPeople() async throws {
        let home = try BackgroundHome()
        let journal = try PrivateFolder(path: home.places.journal)
        let name = BackgroundPaths.prefix(of: "test") + "5.task"
        try journal.write(Data("CNettask nonsense".utf8), to: name)
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        let task = session.downloadTask(with: server.url())
        #expect(task.taskIdentifier == 6)
        task.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(home.journalNames.contains(name + ".damaged"))
        #expect(home.log.contains("because it is not a record: \(name)"))
    }

    @Test func aFolderThatOthersMayEnterIsRefusedWithAReason() async throws {
        let home = try BackgroundHome()
        _ = try PrivateFolder(path: home.places.runtime)
        chmod(home.places.runtime, 0o755)
        let delegate = RecordingDelegate()
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        home.session("test", delegate).downloadTask(with: server.url()).resume()
        await delegate.completion()
        #expect(delegate.error?.code == .backgroundSessionWasDisconnected)
        #expect(delegate.error?.underlyingText?.contains("0700") == true)
    }
}

extension BackgroundClient {
    /// Hangs up, as the kernel does for a process that was killed, and forgets all tasks.
    func abandon() async {
        await withCheckedContinuation { continuation in
            submit { client in
                client.entries = [:]
                client.disconnect()
                continuation.resume()
            }
        }
    }
}
