import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

/// How the end of a download is told, and what a kill in the middle of that means for the next run.
@Suite(.timeLimit(.minutes(2))) struct BackgroundDeliveryTests {
    private let home: BackgroundHome
    private let body = makeBytes(100_000)

    init() throws {
        home = try BackgroundHome()
    }

    @Test func eachCompletionComesRightAfterItsFile() async throws {
        let server = try LoopbackServer { [body] _ in [.answer(body: Array(body))] }
        let program = try BackgroundProgram(home)
        program.say("hold")
        for _ in 0..<12 { program.say("download \(server.url())") }
        try await eventually("the results", in: URL(filePath: home.path)) {
            BackgroundTransfers(environment: home.environment).sessions.first?.unreportedCount == 12
        }
        program.kill()
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        await delegate.eventsFinished()
        let pairs: [String] = (0..<12).flatMap { _ in ["file", "completed"] }
        #expect(delegate.calls == pairs + ["events"])
        _ = session
    }

    @Test(arguments: [false, true])
    func aFileThatTheProgramHasMovedIsNotAnErrorToTheNextRun(isHelperKilledToo: Bool) async throws {
        let server = try LoopbackServer { [body] _ in [.answer(body: Array(body))] }
        let program = try BackgroundProgram(home)
        program.say("move \(home.path)")
        program.say("die")
        program.say("download \(server.url())")
        await program.heard("end")
        let helper = try #require(home.helpers.first)
        if isHelperKilledToo { await BackgroundHome.kill(helper) }
        program.kill()
        #expect(FileManager.default.contents(atPath: home.path(of: "moved-1")) == body)
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        await delegate.eventsFinished()
        #expect(delegate.calls == ["completed", "events"])
        #expect(delegate.error == nil)
        await session.background?.calm()
        #expect(home.journalNames == [])
        #expect(home.reportedTaskNames == [])
    }

    @Test func aFileThatTheProgramHasNotMovedIsToldAgain() async throws {
        let server = try LoopbackServer { [body] _ in [.answer(body: Array(body))] }
        let program = try BackgroundProgram(home)
        program.say("die")
        program.say("download \(server.url())")
        await program.heard("end")
        await BackgroundHome.kill(try #require(home.helpers.first))
        program.kill()
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        await delegate.eventsFinished()
        #expect(delegate.calls == ["file", "completed", "events"])
        #expect(delegate.snapshot.files == [body])
        await session.background?.calm()
        #expect(home.resultNames == [])
    }

    @Test func aFileThatNobodyWasToldOfAndThatIsGoneIsAnError() async throws {
        let server = try LoopbackServer { [body] _ in [.answer(body: Array(body))] }
        let program = try BackgroundProgram(home)
        program.say("hold")
        program.say("download \(server.url())")
        try await eventually("the results", in: URL(filePath: home.path)) {
            BackgroundTransfers(environment: home.environment).sessions.first?.unreportedCount == 1
        }
        program.kill()
        for name in home.resultNames { unlink(home.places.results + "/" + name) }
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        await delegate.eventsFinished()
        #expect(delegate.error?.code == .fileDoesNotExist)
        #expect(delegate.snapshot.files == [])
        _ = session
    }
}

/// Waits for what nothing reports, such as the state of the kernel: looks every few milliseconds, on a thread of its
/// own, which keeps no task waiting. The time limit of the suite ends a wait without end.
func eventually(_ isTrue: @escaping @Sendable () -> Bool) async {
    let isCancelled = Mutex(false)
    await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                while !isTrue(), !isCancelled.withLock(\.self) { poll(nil, 0, 4) }
                continuation.resume()
            }
        }
    } onCancel: {
        isCancelled.withLock { $0 = true }
    }
}
