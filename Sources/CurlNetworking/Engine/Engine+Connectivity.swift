import Dispatch
import FoundationEssentials

// Networks a task may use, and waiting for one.

/// What a transfer knows of networks.
struct TransferConnectivity {
    /// Whether the delegate was told that the task waits.
    var hasNotified = false
    /// Whether networks have changed since the transfer last set out.
    var hasChanged = false
    /// Counts the questions, so that an answer that comes late is known by it.
    var round = 0
    var isWatching = false
    /// What the transfer failed with while it is looked up whether there is a network.
    var failure: URLError?
}

extension Engine {
    /// Asks about the way to a transfer's server, or to its proxy, if it matters. The transfer then waits for the answer.
    func asksAboutNetwork(for transfer: Transfer) -> Bool {
        let access = transfer.settings.access
        guard let host = transfer.firstHost, transfer.settings.unixSocketPath == nil,
            access.waitsForConnectivity || access.hasNetworkRestrictions(about: transfer.request)
        else { return false }
        transfer.connectivity.failure = nil
        ask(about: host, for: transfer)
        return true
    }

    private func ask(about host: String, for transfer: Transfer) {
        let access = transfer.settings.access
        let task = transfer.task
        transfer.stage = .offline
        transfer.updateTimers(at: now)
        deadlineChanged(of: transfer)
        transfer.connectivity.round += 1
        transfer.connectivity.hasChanged = false
        let round = transfer.connectivity.round
        if access.waitsForConnectivity {  // before the look, so that no change is missed
            transfer.connectivity.isWatching = true
            access.network.watch(for: transfer.id) {
                Self.shared.submit { $0.networkChanged(for: task) }
            }
        }
        let knowsCost = access.hasNetworkRestrictions(about: transfer.request)
        Self.networkQueue.async { @Sendable in
            let path = access.network.path(to: host, knowsCost: knowsCost)
            Self.shared.submit { $0.take(path, for: task, round: round) }
        }
    }

    private static let networkQueue = DispatchQueue(label: "CurlNetworking.paths", qos: .utility)

    private func take(_ path: NetworkPath, for task: URLSessionTask, round: Int) {
        guard let transfer = transfers[ObjectIdentifier(task)], transfer.stage == .offline,
            transfer.connectivity.round == round
        else { return }
        let access = transfer.settings.access
        let refusal = access.refusal(of: path, for: transfer.request)
        if let failure = transfer.connectivity.failure, path.isThere, refusal == nil {
            return fail(transfer, with: failure)  // it was not for want of a network
        }
        if refusal == nil, path.isThere || !access.waitsForConnectivity {
            transfer.stage = .waiting
            // A suspended transfer lines up when it is resumed, and asks again then.
            return transfer.pauses.contains(.suspended) ? () : proceed(transfer)
        }
        if let refusal, !access.waitsForConnectivity {
            return fail(transfer, with: URLError(refusal, failingURL: transfer.request.url))
        }
        wait(transfer)
    }

    private func wait(_ transfer: Transfer) {
        giveUpConnection(of: transfer)
        if transfer.connectivity.hasChanged { return begin(transfer) }
        guard !transfer.connectivity.hasNotified else { return }
        transfer.connectivity.hasNotified = true
        transfer.task.post(.waitsForConnectivity)
    }

    private func networkChanged(for task: URLSessionTask) {
        guard let transfer = transfers[ObjectIdentifier(task)] else { return }
        transfer.connectivity.hasChanged = true
        transfer.connectivity.isWatching = false
        if transfer.stage == .offline { begin(transfer) }
    }

    func stopWatchingNetwork(for transfer: Transfer) {
        guard transfer.connectivity.isWatching else { return }
        transfer.connectivity.isWatching = false
        transfer.settings.access.network.unwatch(transfer.id)
    }

    /// Returns whether a transfer that could not connect waits for a network, or finds out whether there
    /// is one.
    func waitsForNetwork(_ transfer: Transfer, after error: URLError) -> Bool {
        guard transfer.settings.access.waitsForConnectivity, transfer.stage == .connecting,
            transfer.settings.unixSocketPath == nil, let host = transfer.firstHost
        else { return false }
        switch error.code {
        case .notConnectedToInternet:
            detach(transfer)
            transfer.result = nil
            transfer.stage = .offline
            transfer.updateTimers(at: now)
            deadlineChanged(of: transfer)
            wait(transfer)
            return true
        case .cannotFindHost, .dnsLookupFailed:
            detach(transfer)
            transfer.result = nil
            transfer.connectivity.failure = error
            ask(about: host, for: transfer)
            return true
        default:
            return false
        }
    }
}

extension Transfer {
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
