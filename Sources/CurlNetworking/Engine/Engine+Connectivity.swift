import Dispatch
import FoundationEssentials

// Checks whether a network may be used, and waits for one.

/// A transfer's state in network checks.
struct TransferConnectivity {
    /// Whether the delegate was notified that the task is waiting.
    var hasNotified = false
    /// Whether networks have changed since the last check started.
    var hasChanged = false
    /// The number of checks so far.
    var checkCount = 0
    var isWatching = false
}

extension Engine {
    /// Checks whether an allowed network leads to a host.
    ///
    /// - Parameter failure: The error to report if there is one: the network is not the cause then.
    func checkNetwork(to host: String, for transfer: Transfer, after failure: URLError? = nil) {
        let access = transfer.settings.access
        transfer.connectivity.checkCount += 1
        transfer.connectivity.hasChanged = false
        let number = transfer.connectivity.checkCount
        transfer.enter(.checkingNetwork(.init(number: number, failure: failure)))
        updateTimers(of: transfer)
        if access.waitsForConnectivity {  // before the check, so that no change is missed
            transfer.connectivity.isWatching = true
            let changed = callback(forAnyAttemptOf: transfer.task) {
                (engine, transfer, _: Void) in
                engine.networkChanged(for: transfer)
            }
            access.network.watch(for: transfer.id) { changed(()) }
        }
        let knowsCost = access.hasNetworkRestrictions(about: transfer.request)
        let checked = callback(for: transfer) { (engine, transfer, path: NetworkPath) in
            guard let check = transfer.state.networkCheck, check.number == number else { return }
            engine.networkChecked(path, check, transfer)
        }
        Self.networkQueue.async { @Sendable in
            checked(access.network.path(to: host, knowsCost: knowsCost))
        }
    }

    private static let networkQueue = DispatchQueue(label: "CurlNetworking.paths", qos: .utility)

    private func networkChecked(
        _ path: NetworkPath, _ check: TransferState.NetworkCheck, _ transfer: Transfer
    ) {
        let access = transfer.settings.access
        let refusal = access.refusal(of: path, for: transfer.request)
        if let failure = check.failure, path.isThere, refusal == nil {
            return fail(transfer, with: failure)  // the network is not the cause
        }
        if refusal == nil, path.isThere || !access.waitsForConnectivity {
            transfer.enter(.queued)
            // A suspended transfer is enqueued when it is resumed.
            return transfer.isSuspended ? () : enqueue(transfer)
        }
        if let refusal, !access.waitsForConnectivity {
            return fail(transfer, with: URLError(refusal, failingURL: transfer.request.url))
        }
        waitForChange(transfer)
    }

    private func waitForChange(_ transfer: Transfer) {
        releaseSlot(of: transfer)
        if transfer.connectivity.hasChanged { return beginAttempt(transfer) }
        guard !transfer.connectivity.hasNotified else { return }
        transfer.connectivity.hasNotified = true
        transfer.task.post(.waitsForConnectivity)
    }

    private func networkChanged(for transfer: Transfer) {
        transfer.connectivity.hasChanged = true
        transfer.connectivity.isWatching = false
        if transfer.state.networkCheck != nil { beginAttempt(transfer) }
    }

    func stopWatchingNetwork(for transfer: Transfer) {
        guard transfer.connectivity.isWatching else { return }
        transfer.connectivity.isWatching = false
        transfer.settings.access.network.unwatch(transfer.id)
    }

    /// Handles a connection failure: waits for a network, or checks whether there is one.
    func waitForNetwork(_ transfer: Transfer, after error: URLError) -> Recovery {
        guard transfer.settings.access.waitsForConnectivity, transfer.state.isConnecting,
            transfer.settings.unixSocketPath == nil, let host = transfer.firstHost
        else { return .impossible }
        switch error.code {
        case .notConnectedToInternet:
            closeAttempt(of: transfer)
            transfer.makeAttempt()
            transfer.enter(.checkingNetwork(.init(number: transfer.connectivity.checkCount)))
            updateTimers(of: transfer)
            waitForChange(transfer)
            return .underway
        case .cannotFindHost, .dnsLookupFailed:
            closeAttempt(of: transfer)
            transfer.makeAttempt()
            checkNetwork(to: host, for: transfer, after: error)
            return .underway
        default:
            return .impossible
        }
    }
}

extension Transfer {
    /// The host whose network has to be checked before a request; nil if no check is needed.
    var hostToCheck: String? {
        let access = settings.access
        guard settings.unixSocketPath == nil,
            access.waitsForConnectivity || access.hasNetworkRestrictions(about: request)
        else { return nil }
        return firstHost
    }

    /// The host that the request's connection leads to: the proxy's, else the server's.
    fileprivate var firstHost: String? {
        guard let url = request.url else { return nil }
        return settings.proxy(for: url)?.host ?? url.host(percentEncoded: false)
    }
}

extension URLError {
    /// A network exists but must not be used.
    fileprivate init(_ refusal: NetworkUnavailableReason, failingURL: URL?) {
        let text =
            switch refusal {
            case .cellular: "the route to the server is a mobile network"
            case .expensive: "the route to the server is metered"
            case .constrained: "the route to the server is in low-data mode"
            }
        var userInfo: [String: any Sendable] = [
            Self.networkUnavailableReasonKey: refusal.rawValue, "NSDebugDescription": text,
        ]
        userInfo["NSErrorFailingURLKey"] = failingURL
        self.init(.dataNotAllowed, userInfo: userInfo)
    }
}
