import Testing

@testable import CurlNetworking

@Suite struct CountdownTests {
    private let second: UInt64 = 1_000_000_000

    @Test func runsOutAfterItsSpan() {
        var timer = Countdown(seconds: 0.25)
        #expect(timer.deadline == nil)
        timer.start(at: second)
        #expect(timer.deadline == second + second / 4)
    }

    @Test func keepsWhatIsLeftWhileStopped() {
        var timer = Countdown(seconds: 10)
        timer.start(at: 0)
        timer.stop(at: 4 * second)
        #expect(timer.deadline == nil)
        timer.start(at: 100 * second)
        #expect(timer.deadline == 106 * second)
        timer.start(at: 103 * second)  // runs already
        #expect(timer.deadline == 106 * second)
    }

    @Test func restartingGivesTheWholeSpanAgain() {
        var timer = Countdown(seconds: 10)
        timer.start(at: 0)
        timer.restart(at: 9 * second)
        #expect(timer.deadline == 19 * second)
        timer.stop(at: 12 * second)
        timer.restart(at: 13 * second)
        #expect(timer.deadline == nil)
    }

    @Test(arguments: [0, -1, Double.infinity, Double.nan, 1e300])
    func neverRunsOutWithoutASpan(seconds: Double) {
        var timer = Countdown(seconds: seconds)
        timer.start(at: 5)
        #expect(timer.deadline == nil)
        #expect(timer.isRunning)
    }

    @Test func aSpanThatIsOverIsDueAtOnce() {
        var timer = Countdown(seconds: 1)
        timer.start(at: 0)
        timer.stop(at: 5 * second)
        timer.start(at: 7 * second)
        #expect(timer.deadline == 7 * second)
    }
}
