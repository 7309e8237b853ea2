import CCurl
import FoundationEssentials
import Synchronization

// A plain proxy answers like a server. One that is to make a tunnel answers CONNECT, which libcurl
// sends by itself: its head is kept apart from the server's, and nothing of it ever is the answer.

extension Engine {
    /// Whether the transfer failed because a proxy wants a proof first. If so, all that follows is
    /// done.
    func isRefusedTunnel(_ transfer: Transfer) -> Bool {
        guard transfer.stage == .connecting, let head = transfer.tunnelHead?.head,
            head.status == AuthenticationParty.proxy.status,
            let request = transfer.connectRequest
        else { return false }
        transfer.isTunnelRefused = true
        let action = transfer.task.session.authenticationCache.withLock {
            transfer.authentication.take(
                head, to: request, cache: &$0, storage: transfer.settings.credentialStorage)
        }
        perform(action, for: transfer)
        transfer.mark()
        return true
    }

    /// Nobody has what the proxy wants. What it says may not pass for the server's answer.
    func refuseTunnel(_ transfer: Transfer) {
        fail(
            transfer,
            with: URLError(
                .userAuthenticationRequired, failingURL: transfer.request.url,
                underlyingText: transfer.proxy?.trouble("wants a name and a password")))
    }

    /// The tunnel is made: what opened it was right.
    func noteTunnel(of transfer: Transfer) {
        guard let head = transfer.tunnelHead?.head, (200..<300).contains(head.status),
            let request = transfer.connectRequest
        else { return }
        _ = transfer.task.session.authenticationCache.withLock {
            transfer.authentication.take(
                head, to: request, cache: &$0, storage: transfer.settings.credentialStorage)
        }
    }
}

extension Transfer {
    /// Finds the attempt's proxy, and what its parties get to see of the request.
    func findRoute(to url: URL) {
        proxy = settings.proxy(for: url)
        let isTunnelled = proxy?.isHTTP == true && url.scheme?.lowercased() == "https"
        tunnelHead = isTunnelled ? ResponseHeadParser() : nil
    }

    /// The request as its server and a plain proxy see it.
    func makeChallengedRequest(_ url: URL) -> ChallengedRequest {
        var challenged = ChallengedRequest(url, method: request.method)
        if let proxy, proxy.isHTTP, tunnelHead == nil {
            challenged.proxy = proxy.address(for: url)
            challenged.proxyTarget = url.absoluteTarget(challenged.target)
        }
        return challenged
    }

    /// The request that makes the tunnel.
    var connectRequest: ChallengedRequest? {
        guard tunnelHead != nil, let proxy, let url = request.url, let origin = Origin(of: url)
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

extension EasyHandle {
    /// A `Proxy-Authorization` of the request's own goes to the proxy unless there is a better one.
    func setProxy(for transfer: Transfer) {
        let proxy = transfer.proxy
        // Never what libcurl would find in the environment by itself.
        set(CURLOPT_NOPROXY, "")
        set(CURLOPT_PROXY, proxy?.curlText ?? "")
        guard let proxy else { return }
        guard proxy.isHTTP else {
            // SOCKS has a log-in of its own, outside of HTTP.
            set(CURLOPT_PROXYUSERNAME, proxy.user)
            set(CURLOPT_PROXYPASSWORD, proxy.password)
            return
        }
        let name = AuthenticationParty.proxy.answerField
        let value =
            transfer.proxyAuthorizationFields.first?.value ?? transfer.request.headers[name]
            ?? transfer.settings.additionalHeaders?[name]
        setProxyHeaderLines(value.map { [name + ": " + $0.withoutLineBreaks] } ?? [])
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
