import Foundation
import Testing

@testable import CurlNetworking

@Suite struct TransferTimersTests {
    private let second: UInt64 = 1_000_000_000

    @Test func noTimerRunsWhileItWaitsOrIsSuspended() throws {
        let transfer = try makeLoad()
        for state in [TransferState.queued, .openingBody, .readyToConnect, .finished] {
            transfer.enter(state)
            transfer.updateTimers(at: second)
            #expect(transfer.deadline == nil)
        }
        let suspended = try makeLoad()
        exchange(suspended)
        suspended.pauses = .suspended
        suspended.updateTimers(at: second)
        #expect(suspended.deadline == nil)
    }

    @Test func suspensionGivesTheRequestTimerItsWholeSpanAgainButNotTheResourceTimer() throws {
        let transfer = try makeLoad()
        exchange(transfer)
        transfer.updateTimers(at: 0)
        #expect(transfer.deadline == 5 * second)
        transfer.pauses = .suspended
        transfer.updateTimers(at: 4 * second)
        transfer.pauses = []
        transfer.updateTimers(at: 100 * second)
        #expect(transfer.timers.request.deadline == 105 * second)
        #expect(transfer.timers.resource.deadline == 116 * second)
    }

    @Test func onlyTheResourceTimerRunsWhileSomebodyElseIsSlow() throws {
        for pause in [Transfer.Pauses.flow, .question] {
            let transfer = try makeLoad()
            exchange(transfer)
            transfer.pauses = pause
            transfer.updateTimers(at: 0)
            #expect(transfer.deadline == 20 * second)
        }
    }

    @Test func onlyATimeoutThatTheRequestNamesOverridesTheSessions() throws {
        let url = try #require(URL(string: "http://a.test"))
        let seconds = { (request: URLRequest) in
            let transfer = try makeLoad(request)
            exchange(transfer)
            transfer.updateTimers(at: 0)
            return try #require(transfer.timers.request.deadline) / second
        }
        let unnamed = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        #expect(unnamed.timeoutInterval == 60)
        #expect(try seconds(unnamed) == 5)
        var request = URLRequest(url: url)
        #expect(try seconds(request) == 5)
        request.timeoutInterval = 7
        #expect(try seconds(request) == 7)
        let named = URLRequest(
            url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 60)
        #expect(try seconds(named) == 60)
    }

    /// A transfer with a request timeout of 5 s and a resource timeout of 20 s.
    /// As if libcurl had a connection.
    private func exchange(_ transfer: Transfer) {
        for state in [TransferState.openingBody, .connecting, .exchanging] { transfer.enter(state) }
    }

    private func makeLoad(_ request: URLRequest? = nil) throws -> Transfer {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 5
        configuration.timeoutIntervalForResource = 20
        let url = try #require(URL(string: "http://a.test"))
        let origin = try #require(Origin(of: url))
        let task = URLSession(configuration: configuration).dataTask(
            with: request ?? URLRequest(url: url))
        let transfer = Transfer(task: task, origin: origin, pending: PendingTransfers())
        transfer.pauses = []  // as if its task were resumed
        return transfer
    }
}
