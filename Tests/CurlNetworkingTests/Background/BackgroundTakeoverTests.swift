import Foundation
import TestSupport
import Testing

@testable import CurlNetworking

/// A session whose identifier another process has.
@Suite(.timeLimit(.minutes(2))) struct BackgroundTakeoverTests {
    private let home: BackgroundHome

    init() throws {
        home = try BackgroundHome()
    }

    @Test(arguments: [false, true])
    func aSessionTakesOverWhenTheOtherProcessEnds(isHelperKilledFirst: Bool) async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer { _ in [.wait(gate), .answer(body: "x")] }
        let program = try BackgroundProgram(home)
        program.say("download \(server.url())")
        await server.requests(atLeast: 1)
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        #expect(await session.allTasks.isEmpty)
        if isHelperKilledFirst {
            await BackgroundHome.kill(try #require(home.helpers.first))
            await server.requests(atLeast: 2)
            #expect(await session.allTasks.isEmpty, "the program still has it")
        }
        program.kill()
        gate.open()
        await delegate.eventsFinished()
        #expect(delegate.snapshot.files == [Data("x".utf8)])
        #expect(delegate.error == nil)
        await session.background?.calm()
        #expect(home.journalNames == [])
    }

    @Test func aSessionTakesOverWhenTheOtherHasNothingMoreToDo() async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer { _ in [.wait(gate), .answer(body: "x")] }
        let program = try BackgroundProgram(home)
        program.say("download \(server.url())")
        await server.requests(atLeast: 1)
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        let refused = session.downloadTask(with: server.url())
        refused.resume()
        await delegate.completion()
        #expect(delegate.error?.code == .backgroundSessionInUseByAnotherProcess)
        gate.open()
        await program.heard("complete")
        // It learns of no task of the other's, and has the identifier from now on.
        await session.background?.gone()
        session.downloadTask(with: server.url()).resume()
        await delegate.completion(of: 2)
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files == [Data("x".utf8)])
    }

    @Test func anInvalidatedSessionWaitsForNothing() async throws {
        let server = try LoopbackServer { _ in [.stall] }
        let program = try BackgroundProgram(home)
        program.say("download \(server.url())")
        await server.requests(atLeast: 1)
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        #expect(await session.allTasks.isEmpty)
        session.invalidateAndCancel()
        await delegate.invalidated()
        program.kill()
        let next = RecordingDelegate()
        let other = home.session("test", next)
        #expect(await other.allTasks.count == 1)
        #expect(delegate.calls == ["invalid"])
        for task in await other.allTasks { task.cancel() }
        await next.completion()
    }
}
