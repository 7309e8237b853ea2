import CByteClubCurl
import FoundationEssentials
import Synchronization

// A plain proxy responds like a server. A tunneling proxy responds to libcurl's CONNECT: that head is kept
// separate from the server's and is never the response.

extension Engine {
    /// Handles a 407 of a proxy that refuses to open a tunnel.
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

    /// Fails because no credentials satisfy the proxy. Its response must not be mistaken for the server's.
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
    /// The proxy's 407 response to CONNECT, if the attempt failed with it.
    var refusedTunnel: ResponseHead? {
        guard state.isConnecting, let head = attempt.route.tunnelHead?.head,
            head.status == AuthenticationParty.proxy.status, connectRequest != nil
        else { return nil }
        return head
    }

    /// Determines the attempt's proxy and whether it opens a tunnel: for TLS, and for a WebSocket, whose bytes
    /// are not HTTP.
    func makeRoute(to url: URL) -> Attempt.Route {
        let proxy = settings.proxy(for: url)
        let needsTunnel = attempt.isWebSocket || url.scheme?.lowercased() == "https"
        let isTunnelled = proxy?.isHTTP == true && needsTunnel
        return Attempt.Route(proxy: proxy, tunnelHead: isTunnelled ? ResponseHeadParser() : nil)
    }

    /// The request as seen by the server and by a plain proxy.
    func makeChallengedRequest(_ url: URL) -> ChallengedRequest {
        var challenged = ChallengedRequest(url, method: request.method)
        if let proxy = attempt.route.proxy, proxy.isHTTP, attempt.route.tunnelHead == nil {
            challenged.proxy = proxy.address(for: url)
            challenged.proxyTarget = url.absoluteTarget(challenged.target)
        }
        return challenged
    }

    /// The CONNECT request.
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
    /// Returns the request target in absolute form, as libcurl sends it to a plain proxy.
    fileprivate func absoluteTarget(_ target: String) -> String {
        let host = host(percentEncoded: true)?.withoutBrackets ?? ""
        let name = host.contains(":") ? "[\(host)]" : host
        let port = port.flatMap { $0 == 80 ? nil : ":\($0)" } ?? ""
        return "http://\(name)\(port)\(target)"
    }
}
