import Foundation
import Testing

@testable import CurlNetworking

@Suite struct LoadTimersTests {
    private let second: UInt64 = 1_000_000_000

    @Test func noTimerRunsWhileItWaitsOrIsSuspended() throws {
        let load = try makeLoad()
        for stage in [Load.Stage.waiting, .preparing, .held, .over] {
            load.stage = stage
            load.updateTimers(at: second)
            #expect(load.deadline == nil)
        }
        load.stage = .exchanging
        load.pauses = .suspended
        load.updateTimers(at: second)
        #expect(load.deadline == nil)
    }

    @Test func suspensionGivesTheRequestTimerItsWholeSpanAgainButNotTheResourceTimer() throws {
        let load = try makeLoad()
        load.stage = .exchanging
        load.updateTimers(at: 0)
        #expect(load.deadline == 5 * second)
        load.pauses = .suspended
        load.updateTimers(at: 4 * second)
        load.pauses = []
        load.updateTimers(at: 100 * second)
        #expect(load.requestTimer.deadline == 105 * second)
        #expect(load.resourceTimer.deadline == 116 * second)
    }

    @Test func onlyTheResourceTimerRunsWhileSomebodyElseIsSlow() throws {
        for pause in [Load.Pauses.flow, .asking] {
            let load = try makeLoad()
            load.stage = .exchanging
            load.pauses = pause
            load.updateTimers(at: 0)
            #expect(load.deadline == 20 * second)
        }
    }

    /// A load with a request timeout of 5 s and a resource timeout of 20 s.
    private func makeLoad() throws -> Load {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 5
        configuration.timeoutIntervalForResource = 20
        let url = try #require(URL(string: "http://a.test"))
        let origin = try #require(Origin(of: url))
        let task = URLSession(configuration: configuration).dataTask(with: url)
        return Load(task: task, origin: origin, marks: Load.Marks())
    }
}
