import Testing

@testable import CurlNetworking

@Suite struct TaskLifeTests {
    @Test func aNewTaskIsSuspendedAndStartsOnce() {
        var life = TaskLife()
        #expect(life.state == .suspended)
        #expect(life.resume() == .start)
        #expect(life.state == .running)
        #expect(life.resume() == .nothing)
    }

    @Test func suspensionsNest() {
        var life = TaskLife()
        _ = life.resume()
        #expect(life.suspend() == .pause)
        #expect(life.suspend() == .nothing)
        #expect(life.resume() == .nothing)
        #expect(life.state == .suspended)
        #expect(life.resume() == .proceed)
        #expect(life.state == .running)
    }

    @Test func suspendingBeforeTheStartPostponesIt() {
        var life = TaskLife()
        #expect(life.suspend() == .nothing)
        #expect(life.resume() == .nothing)
        #expect(!life.hasStarted)
        #expect(life.resume() == .start)
    }

    @Test(arguments: [false, true]) func cancelsOnceFromAnyState(isRunning: Bool) {
        var life = TaskLife()
        if isRunning { _ = life.resume() }
        #expect(life.cancel() == .abort)
        #expect(life.state == .canceling)
        #expect(life.cancel() == .nothing)
        #expect(life.resume() == .nothing)
        #expect(life.suspend() == .nothing)
        #expect(life.state == .canceling)
    }

    @Test func nothingLeavesCompleted() {
        var life = TaskLife()
        _ = life.resume()
        life.complete()
        #expect(life.cancel() == .nothing)
        #expect(life.resume() == .nothing)
        #expect(life.suspend() == .nothing)
        #expect(life.state == .completed)
    }
}
