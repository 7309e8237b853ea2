import CurlNetworking
import TestSupport

extension LoopbackServer {
    /// Has a session speak to this server whatever the host of a URL: as its proxy.
    var asProxy: @Sendable (URLSessionConfiguration) -> Void {
        { [port] in
            $0.connectionProxyDictionary = [
                kCFNetworkProxiesHTTPEnable: true, kCFNetworkProxiesHTTPProxy: "127.0.0.1",
                kCFNetworkProxiesHTTPPort: Int(port),
            ]
        }
    }
}
