import CByteClubTLS
import FoundationEssentials

/// The opening handshake of a WebSocket (RFC 6455 §4).
enum WebSocketHandshake {
    /// Returns the HTTP request that asks for a WebSocket.
    ///
    /// - Parameter request: A request for a `ws`, `wss`, `http` or `https` URL.
    static func request(_ request: URLRequest, protocols: [String], key: String) -> URLRequest {
        var request = request
        request.url = request.url.flatMap { swap($0, ["ws": "http", "wss": "https"]) }
        request.httpMethod = "GET"
        request.httpBody = nil
        request.cachePolicy = .reloadIgnoringLocalCacheData
        request.setValue("Upgrade", forHTTPHeaderField: "Connection")
        request.setValue("websocket", forHTTPHeaderField: "Upgrade")
        request.setValue("13", forHTTPHeaderField: "Sec-WebSocket-Version")
        request.setValue(key, forHTTPHeaderField: "Sec-WebSocket-Key")
        request.setValue("", forHTTPHeaderField: "Accept-Encoding")
        if !protocols.isEmpty {
            request.setValue(
                protocols.joined(separator: ", "), forHTTPHeaderField: "Sec-WebSocket-Protocol")
        }
        return request
    }

    /// Returns the URL with the scheme `ws` or `wss`.
    static func asWebSocket(_ url: URL) -> URL {
        swap(url, ["http": "ws", "https": "wss"])
    }

    /// Whether a response opens the WebSocket.
    static func accepts(_ response: HTTPURLResponse, key: String) -> Bool {
        let upgrade = response.value(forHTTPHeaderField: "Upgrade") ?? ""
        let accept = response.value(forHTTPHeaderField: "Sec-WebSocket-Accept")
        return response.statusCode == 101 && upgrade.isEqualIgnoringASCIICase(to: "websocket")
            && accept == answer(to: key)
    }

    /// Returns the expected `Sec-WebSocket-Accept` for a key.
    static func answer(to key: String) -> String? {
        guard let hash = byteclub_hash_start("SHA1") else { return nil }
        defer { byteclub_hash_free(hash) }
        let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        guard byteclub_hash_update(hash, text, text.count) else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            count = buffer.baseAddress.map { byteclub_hash_finish(hash, $0) } ?? 0
        }
        return bytes.isEmpty ? nil : Data(bytes).base64EncodedString()
    }

    static func makeKey() -> String { Data(randomBytes(16)).base64EncodedString() }

    static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    private static func swap(_ url: URL, _ schemes: [String: String]) -> URL {
        guard let scheme = url.scheme, let other = schemes[scheme.lowercased()] else { return url }
        return URL(string: other + url.absoluteString.dropFirst(scheme.count)) ?? url
    }
}
