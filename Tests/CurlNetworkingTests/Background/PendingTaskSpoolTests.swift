import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

/// Tasks whose program ends before it could tell a helper of them.
@Suite(.timeLimit(.minutes(2))) struct PendingTaskSpoolTests {
    @Test func aTaskIsOnRecordWhenResumeReturns() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        let client = try #require(session.background)
        // Nothing more can be done for it.
        client.executor.queue.suspend()
        session.downloadTask(with: server.url()).resume()
        #expect(home.places.numbers(of: "test") == [1])
        let transfers = BackgroundTransfers(environment: home.environment)
        #expect(transfers.sessions == [.init(identifier: "test", unfinishedCount: 1)])
        #expect(home.spoolNames.count == 2)
        for name in home.spoolNames {
            var facts = stat()
            #expect(lstat(home.places.spool + "/" + name, &facts) == 0)
            #expect(facts.st_mode & 0o777 == 0o600)
        }
        client.executor.queue.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(home.spoolNames.count == 1, "its owner lives on")
    }

    @Test func aTaskThatIsCancelledAtOnceLeavesNothing() async throws {
        let home = try BackgroundHome()
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        let client = try #require(session.background)
        client.executor.queue.suspend()
        let task = session.downloadTask(with: try #require(URL(string: "http://a.test/")))
        task.resume()
        task.cancel()
        client.executor.queue.resume()
        await delegate.completion()
        #expect(delegate.error?.code == .cancelled)
        #expect(home.places.numbers(of: "test") == [])
    }

    @Test func whatAProgramThatIsGoneHasLeftIsTakenUp() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer { request in [.answer(body: request.target)] }
        for number in 1...2 {
            try leave(number, "test", server.url("/\(number)"), in: home)
        }
        #expect(home.places.numbers(of: "test").sorted() == [1, 2])
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        await delegate.completion(of: 2)
        #expect(delegate.error == nil)
        #expect(Set(delegate.snapshot.files) == [Data("/1".utf8), Data("/2".utf8)])
        await session.background?.calm()
        #expect(home.spoolNames == [])
        #expect(home.journalNames == [])
    }

    @Test func whatIsLeftWhileAHelperIsThereIsBegunBeforeItGoes() async throws {
        let home = try BackgroundHome(restSeconds: 0.5)
        let gate = LoopbackGate()
        let server = try LoopbackServer { _ in [.wait(gate), .answer(body: "x")] }
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        session.downloadTask(with: server.url()).resume()
        await server.requests(atLeast: 1)
        let helper = try #require(home.helpers.first)
        try leave(1, "other", server.url("/left"), in: home)
        gate.open()
        await delegate.completion()
        await BackgroundHome.end(of: helper)
        #expect(server.requests.map(\.target) == ["/", "/left"])
        let transfers = BackgroundTransfers(environment: home.environment)
        #expect(transfers.sessions == [.init(identifier: "other", unreportedCount: 1)])
    }

    @Test func aNumberThatIsTakenIsChanged() async throws {
        let home = try BackgroundHome()
        let gate = LoopbackGate()
        let server = try LoopbackServer { request in
            request.target == "/left" ? [.answer(body: "left")] : [.wait(gate), .answer(body: "x")]
        }
        let first = home.session("test", RecordingDelegate())
        first.downloadTask(with: server.url("/first")).resume()
        await first.background?.calm()
        await first.background?.abandon()
        try leave(1, "test", server.url("/left"), in: home)
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        #expect(await session.allTasks.map(\.taskIdentifier).contains(1))
        gate.open()
        await delegate.completion(of: 2)
        #expect(Set(delegate.snapshot.files) == [Data("left".utf8), Data("x".utf8)])
        #expect(delegate.error == nil)
    }

    @Test func whatALivingProgramHoldsAndWhatMakesNoSenseIsNotTaken() throws {
        let home = try BackgroundHome()
        let url = try #require(URL(string: "http://a.test/"))
        let spool = PendingTaskSpool(home.places)
        spool.put(try record(1, "test", url))
        try leave(2, "test", url, in: home)
        let damaged = home.places.spool + "/gone-0123456789abcdef-3.task"
        try AtomicFile.write(Data("nonsense".utf8), to: damaged)
        let unfinished = home.places.spool + "/.unfinished-x-"
        let ours = try #require(home.spoolNames.first { $0.hasSuffix("-1.task") })
        for name in [ours, "gone-0123456789abcdef-4.task"] {
            try AtomicFile.write(Data(), to: unfinished + name)
        }
        var taken: [Int] = []
        spool.takeAbandoned { record in
            taken.append(record.number)
            return false
        }
        #expect(taken == [2])
        #expect(home.places.numbers(of: "test").sorted() == [1, 2], "it was safe nowhere else")
        spool.takeAbandoned { _ in true }
        #expect(home.places.numbers(of: "test") == [1])
        #expect(access(damaged, F_OK) != 0)
        #expect(access(unfinished + "gone-0123456789abcdef-4.task", F_OK) != 0)
        #expect(access(unfinished + ours, F_OK) == 0)
        spool.remove(1, of: "test")
        #expect(home.places.numbers(of: "test") == [])
    }

    /// In the spool and in the journal, before a helper that is then asked to work.
    @Test func badRecordsKeepNoHelperFromItsWork() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer { request in [.answer(body: request.target)] }
        let prefix = BackgroundPaths.prefix(of: "test")
        for folder in [home.places.journal, home.places.spool] {
            _ = try PrivateFolder(path: folder)
            let start = folder == home.places.spool ? "gone-" : ""
            let names = (1...4).map { folder + "/" + start + prefix + "\($0).task" }
            #expect(symlink("/dev/zero", names[0]) == 0)
            #expect(mkfifo(names[1], 0o600) == 0)
            #expect(mkdir(names[2], 0o700) == 0)
            try AtomicFile.write(Data("nonsense".utf8), to: names[3])
            #expect(mkdir(names[3] + ".damaged", 0o700) == 0)
        }
        // A sound checksum around what overflows.
        let text = String(
            decoding: try ChecksummedRecord.open(
                record(5, "test", server.url("/5")).render(), as: .backgroundTask), as: UTF8.self)
        let forged = text.replacing(
            "\"number\":5", with: "\"number\":5,\"suspendedSince\":\(Int64.min)")
        #expect(forged != text)
        try AtomicFile.write(
            ChecksummedRecord.seal(Data(forged.utf8), as: .backgroundTask),
            to: home.places.journal + "/" + prefix + "5.task")
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        await delegate.completion(of: 1)
        #expect(delegate.error?.code == .backgroundSessionWasDisconnected)
        session.downloadTask(with: server.url("/new")).resume()
        await delegate.completion(of: 2)
        #expect(delegate.snapshot.files == [Data("/new".utf8)])
        #expect(home.helpers.count == 1)
        #expect(home.log.contains("is not a record"))
        await session.background?.calm()
        #expect(home.journalNames.filter { $0.hasSuffix(".task") } == [])
    }

    @Test func aTaskOnItsWayToTheJournalIsSeenAllTheTime() throws {
        let home = try BackgroundHome()
        let places = home.places
        for folder in [places.journal, places.spool] { _ = try PrivateFolder(path: folder) }
        let prefix = BackgroundPaths.prefix(of: "test")
        let last = Mutex(0)
        Thread.detachNewThread {
            for number in 1...500 {
                let spooled = places.spool + "/gone-\(prefix)\(number).task"
                close(open(spooled, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
                last.withLock { $0 = number }
                let record = places.journal + "/\(prefix)\(number).task"
                close(open(record, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
                unlink(spooled)
            }
            last.withLock { $0 = .max }
        }
        while true {
            let number = last.withLock { $0 }
            guard number < .max else { return }
            guard number > 0 else { continue }
            try #require(places.numbers(of: "test").contains(number))
        }
    }

    @Test func aProgramThatIsKilledAtOnceLosesNothing() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer { request in [.answer(body: request.target)] }
        for number in 1...4 {
            let identifier = "test\(number)"
            let program = try BackgroundProgram(home, identifier)
            await program.heard("ready")
            program.say("download \(server.url("/\(number)"))")
            await program.heard("task")
            program.kill()
            await program.heard("end")
            // It may have heard of the task's end itself.
            guard !program.said.contains(where: { $0.hasPrefix("complete") }) else { continue }
            let delegate = RecordingDelegate()
            let session = home.session(identifier, delegate)
            await delegate.completion()
            #expect(delegate.snapshot.files == [Data("/\(number)".utf8)])
            _ = session
        }
    }

    // MARK: -

    private func record(_ number: Int, _ session: String, _ url: URL) throws
        -> BackgroundTaskRecord
    {
        BackgroundTaskRecord(
            number: number, session: session, kind: .download(resumeData: nil),
            request: try #require(.init(URLRequest(url: url))),
            created: Int64(Date.now.timeIntervalSince1970), key: .random(in: 1...UInt64.max))
    }

    /// As a process leaves it that was killed: nobody has the lock of its owner's file.
    private func leave(
        _ number: Int, _ session: String, _ url: URL, in home: BackgroundHome
    ) throws {
        let folder = try PrivateFolder(path: home.places.spool)
        let name = "gone-" + BackgroundPaths.prefix(of: session) + "\(number).task"
        // A helper would remove what is unfinished of one that is gone.
        try AtomicFile.write(
            record(number, session, url).render(), to: folder.path(of: name),
            by: home.path(of: "unfinished"))
        try folder.write(Data(), to: "gone.owner")
    }
}
