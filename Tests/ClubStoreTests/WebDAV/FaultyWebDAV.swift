import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// A ``WebDAVStandIn`` behind a faulty connection: a gateway with false responses, or a connection
/// that breaks at the worst moment.
///
/// Reads (`PROPFIND`, `GET`) pass through.
final class FaultyWebDAV: Sendable {
    /// What happens to a write request.
    enum Fault: Sendable, Hashable, CustomTestStringConvertible {
        /// It is not forwarded, and gets a status and optionally a page.
        case answers(String, isPage: Bool)
        /// The server performs it; the response is truncated.
        case cutsTheAnswer
        /// The server performs it; the client gets another status.
        case tellsInstead(String)

        /// A sign-in page, a cache, an interfering proxy.
        static let page = Fault.answers("200 OK", isPage: true)

        var testDescription: String {
            switch self {
            case .answers(let status, let isPage): isPage ? "\(status), a page" : status
            case .cutsTheAnswer: "done, cut"
            case .tellsInstead(let status): "done, \(status)"
            }
        }
    }

    let standIn: WebDAVStandIn
    var store: WebDAVStore { standIn.store }
    private let faults: Faults

    init(
        _ manners: WebDAVStandIn.Manners = .init(),
        configure: (inout WebDAVStore.Configuration) -> Void = { _ in }
    ) throws {
        let faults = Faults()
        var manners = manners
        manners.interception = { faults.answer($0) }
        self.faults = faults
        standIn = try WebDAVStandIn(manners, configure: configure)
        faults.state.withLock { $0.standIn = standIn }
    }

    /// Sets a fault for a method, permanently or for this many requests.
    func set(_ fault: Fault?, for method: String, times: Int = .max) {
        faults.state.withLock { $0.faults[method] = fault.map { ($0, times) } }
    }

    /// Runs a closure as soon as the server has performed the next request of a method.
    func after(_ method: String, do intrusion: @escaping @Sendable (WebDAVStandIn) -> Void) {
        faults.state.withLock { $0.intrusions[method] = intrusion }
    }

    private final class Faults: Sendable {
        struct State {
            weak var standIn: WebDAVStandIn?
            var faults: [String: (Fault, times: Int)] = [:]
            var intrusions: [String: @Sendable (WebDAVStandIn) -> Void] = [:]
        }

        let state = Mutex(State())

        func answer(_ request: LoopbackRequest) -> [LoopbackStep]? {
            let (standIn, fault, intrusion) = state.withLock { state in
                var fault: Fault?
                if let (next, times) = state.faults[request.method] {
                    fault = next
                    state.faults[request.method] = times > 1 ? (next, times - 1) : nil
                }
                return (
                    state.standIn, fault, state.intrusions.removeValue(forKey: request.method)
                )
            }
            guard let standIn else { return nil }
            defer { intrusion?(standIn) }
            switch fault {
            case .answers(let status, isPage: true):
                return [
                    .answer(
                        status, ["Content-Type: text/html"],
                        body: "<html><body>Please accept our terms</body></html>")
                ]
            case .answers(let status, isPage: false): return [.answer(status)]
            case .cutsTheAnswer:
                _ = standIn.answer(request)
                // Only after the first byte: before it, libcurl retries automatically.
                return [.send("HTTP/1.1 2"), .close]
            case .tellsInstead(let status):
                _ = standIn.answer(request)
                return [.answer(status)]
            case nil: return standIn.answer(request)
            }
        }
    }
}
