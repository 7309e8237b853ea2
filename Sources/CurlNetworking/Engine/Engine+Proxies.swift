import CCurl
import FoundationEssentials
import Synchronization

// A plain proxy answers like a server. One that is to make a tunnel answers CONNECT, which libcurl
// sends: its head is kept apart from the server's, and nothing of it ever is the response.

extension Engine {
    /// The transfer has failed because a proxy wants credentials first.
    func takeRefusedTunnel(_ head: ResponseHead, of transfer: Transfer) {
        guard let request = transfer.connectRequest else { return }
        transfer.attempt.route.isTunnelRefused = true
        let action = transfer.task.session.authenticationCache.withLock {
            transfer.authentication.take(
                head, to: request, cache: &$0, storage: transfer.settings.credentialStorage)
        }
        perform(action, for: transfer)
        transfer.setNeedsProcessing()
    }

    /// Nobody has what the proxy wants. What it says may not pass for the server's response.
    func failRefusedTunnel(_ transfer: Transfer) {
        fail(
            transfer,
            with: URLError(
                .userAuthenticationRequired, failingURL: transfer.request.url,
                underlyingText: transfer.attempt.route.proxy?.trouble(
                    "wants a name and a password")))
    }
}

extension Transfer {
    /// The proxy's answer that it wants credentials before it makes a tunnel.
    var refusedTunnel: ResponseHead? {
        guard state.isConnecting, let head = attempt.route.tunnelHead?.head,
            head.status == AuthenticationParty.proxy.status, connectRequest != nil
        else { return nil }
        return head
    }

    /// The attempt's proxy, and whether it makes a tunnel.
    func makeRoute(to url: URL) -> Attempt.Route {
        let proxy = settings.proxy(for: url)
        let isTunnelled = proxy?.isHTTP == true && url.scheme?.lowercased() == "https"
        return Attempt.Route(proxy: proxy, tunnelHead: isTunnelled ? ResponseHeadParser() : nil)
    }

    /// The request as its server and a plain proxy see it.
    func makeChallengedRequest(_ url: URL) -> ChallengedRequest {
        var challenged = ChallengedRequest(url, method: request.method)
        if let proxy = attempt.route.proxy, proxy.isHTTP, attempt.route.tunnelHead == nil {
            challenged.proxy = proxy.address(for: url)
            challenged.proxyTarget = url.absoluteTarget(challenged.target)
        }
        return challenged
    }

    /// The request that makes the tunnel.
    var connectRequest: ChallengedRequest? {
        guard attempt.route.tunnelHead != nil, let proxy = attempt.route.proxy,
            let url = request.url, let origin = Origin(of: url)
        else { return nil }
        let host = url.host(percentEncoded: true)?.withoutBrackets ?? origin.host
        var connect = ChallengedRequest(
            url: url, method: "CONNECT",
            target: "\(host.contains(":") ? "[\(host)]" : host):\(origin.port)",
            proxy: proxy.address(for: url))
        connect.isTunnel = true
        return connect
    }
}

extension URL {
    /// A request target in absolute form, as libcurl sends it to a plain proxy.
    fileprivate func absoluteTarget(_ target: String) -> String {
        let host = host(percentEncoded: true)?.withoutBrackets ?? ""
        let name = host.contains(":") ? "[\(host)]" : host
        let port = port.flatMap { $0 == 80 ? nil : ":\($0)" } ?? ""
        return "http://\(name)\(port)\(target)"
    }
}
