import CurlNetworking
import FoundationEssentials
import Synchronization

/// What responses say of the server's software, to notice when another one answers.
///
/// Source: RFC 9110 §10.2.4 (`Server`); RFC 4918 §10.1 (`DAV`, which many servers send with some methods alone).
final class ServerSignature: Sendable {
    private struct State {
        /// The values of each field, of servers whose capabilities are known.
        var known: [String: Set<String>]
        /// The values since then.
        var new: [String: Set<String>] = [:]
    }

    private let state: Mutex<State>

    private static let fields = ["Server", "DAV"]
    /// A load balancer has a few; with more of them, a field says nothing, since it differs each time.
    private static let limit = 8
    private static let byteLimit = 200

    init(known: [String: [String]] = [:]) {
        state = Mutex(State(known: known.mapValues { Set($0) }))
    }

    func note(_ response: HTTPURLResponse) {
        for field in Self.fields {
            guard let value = response.value(forHTTPHeaderField: field),
                value.utf8.count <= Self.byteLimit
            else { continue }
            state.withLock { state in
                let known = state.known[field, default: []]
                let new = state.new[field, default: []]
                guard !known.contains(value), known.count + new.count < Self.limit else { return }
                state.new[field] = new.union([value])
            }
        }
    }

    /// Whether a field has another value than the known ones. One that was never seen before says nothing.
    var isNew: Bool {
        state.withLock { state in state.new.keys.contains { state.known[$0] != nil } }
    }

    /// Makes those that have answered known.
    ///
    /// - Returns: All known ones; nil for none.
    func acceptNew() -> [String: [String]]? {
        state.withLock { state in
            state.known.merge(state.new) { $0.union($1) }
            state.new = [:]
            return state.known.isEmpty ? nil : state.known.mapValues { $0.sorted() }
        }
    }
}
