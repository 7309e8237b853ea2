import Dispatch
import FoundationEssentials

// Networks a task may use, and waiting for one.

/// What a load knows of networks.
struct LoadConnectivity {
    /// Whether the delegate was told that the task waits.
    var hasTold = false
    /// Whether networks have changed since the load last set out.
    var hasChanged = false
    /// Counts the questions, so that an answer that comes late is known by it.
    var round = 0
    var isWatching = false
    /// What the load failed with while it is looked up whether there is a network.
    var failure: URLError?
}

extension Engine {
    /// Asks about the way to a load's server, or to its proxy, if it matters. The load then waits for the answer.
    func asksAboutNetwork(for load: Load) -> Bool {
        let access = load.settings.access
        guard let host = load.firstHost, load.settings.unixSocketPath == nil,
            access.waitsForConnectivity || access.isPicky(about: load.request)
        else { return false }
        load.connectivity.failure = nil
        ask(about: host, for: load)
        return true
    }

    private func ask(about host: String, for load: Load) {
        let access = load.settings.access
        let task = load.task
        load.stage = .offline
        load.updateTimers(at: now)
        deadlineChanged(of: load)
        load.connectivity.round += 1
        load.connectivity.hasChanged = false
        let round = load.connectivity.round
        if access.waitsForConnectivity {  // before the look, so that no change is missed
            load.connectivity.isWatching = true
            access.network.watch(for: load.id) {
                Self.shared.submit { $0.networkChanged(for: task) }
            }
        }
        let knowsCost = access.isPicky(about: load.request)
        Self.networkQueue.async { @Sendable in
            let path = access.network.path(to: host, knowsCost: knowsCost)
            Self.shared.submit { $0.take(path, for: task, round: round) }
        }
    }

    private static let networkQueue = DispatchQueue(label: "CurlNetworking.paths", qos: .utility)

    private func take(_ path: NetworkPath, for task: URLSessionTask, round: Int) {
        guard let load = loads[ObjectIdentifier(task)], load.stage == .offline,
            load.connectivity.round == round
        else { return }
        let access = load.settings.access
        let refusal = access.refusal(of: path, for: load.request)
        if let failure = load.connectivity.failure, path.isThere, refusal == nil {
            return end(load, with: failure)  // it was not for want of a network
        }
        if refusal == nil, path.isThere || !access.waitsForConnectivity {
            load.stage = .waiting
            // A suspended load lines up when it is resumed, and asks again then.
            return load.pauses.contains(.suspended) ? () : goOn(load)
        }
        if let refusal, !access.waitsForConnectivity {
            return end(load, with: URLError(refusal, failingURL: load.request.url))
        }
        wait(load)
    }

    private func wait(_ load: Load) {
        giveUpConnection(of: load)
        if load.connectivity.hasChanged { return begin(load) }
        guard !load.connectivity.hasTold else { return }
        load.connectivity.hasTold = true
        load.task.post(.waitsForConnectivity)
    }

    private func networkChanged(for task: URLSessionTask) {
        guard let load = loads[ObjectIdentifier(task)] else { return }
        load.connectivity.hasChanged = true
        load.connectivity.isWatching = false
        if load.stage == .offline { begin(load) }
    }

    func stopWatchingNetwork(for load: Load) {
        guard load.connectivity.isWatching else { return }
        load.connectivity.isWatching = false
        load.settings.access.network.unwatch(load.id)
    }

    /// Returns whether a load that could not connect waits for a network, or finds out whether there
    /// is one.
    func waitsForNetwork(_ load: Load, after error: URLError) -> Bool {
        guard load.settings.access.waitsForConnectivity, load.stage == .connecting,
            load.settings.unixSocketPath == nil, let host = load.firstHost
        else { return false }
        switch error.code {
        case .notConnectedToInternet:
            detach(load)
            load.verdict = nil
            load.stage = .offline
            load.updateTimers(at: now)
            deadlineChanged(of: load)
            wait(load)
            return true
        case .cannotFindHost, .dnsLookupFailed:
            detach(load)
            load.verdict = nil
            load.connectivity.failure = error
            ask(about: host, for: load)
            return true
        default:
            return false
        }
    }
}

extension Load {
    /// Whom the request's connection leads to: a proxy finds the way to the server by itself.
    fileprivate var firstHost: String? {
        guard let url = request.url else { return nil }
        return settings.proxy(for: url)?.host ?? url.host(percentEncoded: false)
    }
}

extension URLError {
    /// There is a network, but it may not be used.
    fileprivate init(_ refusal: NetworkUnavailableReason, failingURL: URL?) {
        let text =
            switch refusal {
            case .cellular: "the way to the server leads through a mobile network"
            case .expensive: "the way to the server is paid by volume"
            case .constrained: "the way to the server is to be used sparingly"
            }
        var userInfo: [String: any Sendable] = [
            Self.networkUnavailableReasonKey: refusal.rawValue, "NSDebugDescription": text,
        ]
        userInfo["NSErrorFailingURLKey"] = failingURL
        self.init(.dataNotAllowed, userInfo: userInfo)
    }
}
