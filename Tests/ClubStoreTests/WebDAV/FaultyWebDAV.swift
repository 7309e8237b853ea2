import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// A ``WebDAVStandIn`` behind something that stands between it and the store: a gateway that says what
/// is not so, or a line that breaks at the worst moment.
///
/// What is asked for without changing anything (`PROPFIND`, `GET`) goes through.
final class FaultyWebDAV: Sendable {
    /// What becomes of a request that writes.
    enum Fault: Sendable, Hashable, CustomTestStringConvertible {
        /// It goes no further, and is answered with a status and, perhaps, a page.
        case answers(String, isPage: Bool)
        /// The server does it; the answer breaks off.
        case cutsTheAnswer
        /// The server does it; another status is told.
        case tellsInstead(String)

        /// A sign-in page, a cache, a proxy that knows better.
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

    /// From now on, or for so many requests, a method meets a fault.
    func set(_ fault: Fault?, for method: String, times: Int = .max) {
        faults.state.withLock { $0.faults[method] = fault.map { ($0, times) } }
    }

    /// Does something as soon as the server has done the next request of a method.
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
                // Not before the first byte: then libcurl asks again by itself.
                return [.send("HTTP/1.1 2"), .close]
            case .tellsInstead(let status):
                _ = standIn.answer(request)
                return [.answer(status)]
            case nil: return standIn.answer(request)
            }
        }
    }
}
