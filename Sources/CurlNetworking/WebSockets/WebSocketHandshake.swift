import CByteClubTLS
import FoundationEssentials

/// The opening handshake of a WebSocket (RFC 6455 §4).
enum WebSocketHandshake {
    /// Returns the HTTP request that asks for a WebSocket.
    ///
    /// - Parameter request: A request for a `ws`, `wss`, `http` or `https` URL.
    static func request(_ request: URLRequest, protocols: [String], key: String) -> URLRequest {
        var request = request
        request.url = request.url.map(asHTTP)
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

    /// Returns the URL with the scheme `http` or `https`.
    static func asHTTP(_ url: URL) -> URL {
        swap(url, ["ws": "http", "wss": "https"])
    }

    /// Whether a response opens the WebSocket (§4.1).
    ///
    /// - Parameter request: The request as it was sent, with the fields that the session has added.
    static func accepts(_ response: HTTPURLResponse, to request: URLRequest) -> Bool {
        let key = request.value(forHTTPHeaderField: "Sec-WebSocket-Key") ?? ""
        let upgrade = response.value(forHTTPHeaderField: "Upgrade") ?? ""
        let connection = ListField.members(
            of: response.value(forHTTPHeaderField: "Connection") ?? "")
        guard response.statusCode == 101, upgrade.isEqualIgnoringASCIICase(to: "websocket"),
            connection.contains(where: { $0.isEqualIgnoringASCIICase(to: "upgrade") }),
            let expected = answer(to: key),
            response.value(forHTTPHeaderField: "Sec-WebSocket-Accept") == expected
        else { return false }
        return selectsOfferedProtocol(response, request)
            && selectsOfferedExtensions(response, request)
    }

    /// Whether the server has selected one of the offered subprotocols, or none.
    private static func selectsOfferedProtocol(
        _ response: HTTPURLResponse, _ request: URLRequest
    ) -> Bool {
        let name = "Sec-WebSocket-Protocol"
        let selected = (response.value(forHTTPHeaderField: name) ?? "").trimmingSpaces
        let offered = ListField.members(of: request.value(forHTTPHeaderField: name) ?? "")
        // Two selected ones are joined by a comma, which no offered one contains.
        return selected.isEmpty || offered.contains(selected)
    }

    /// Whether the server has selected no extension that was not offered. A task offers none, unless its request
    /// does.
    private static func selectsOfferedExtensions(
        _ response: HTTPURLResponse, _ request: URLRequest
    ) -> Bool {
        let name = "Sec-WebSocket-Extensions"
        guard let selected = response.value(forHTTPHeaderField: name) else { return true }
        let offered = extensionNames(in: request.value(forHTTPHeaderField: name) ?? "")
        return extensionNames(in: selected).allSatisfy { offered.contains($0) }
    }

    /// Returns the names of a list of extensions, without their parameters.
    private static func extensionNames(in field: String) -> [String] {
        ListField.members(of: field).map { $0.prefix { $0 != ";" }.trimmingSpaces }
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

extension ResponseHead {
    /// The head as the policies see it: a WebSocket may be redirected to `ws` and `wss`, which are `http` and
    /// `https` to them.
    var withHTTPLocation: ResponseHead {
        guard let location = headers["Location"].flatMap({ URL(string: $0.trimmingSpaces) }) else {
            return self
        }
        let target = WebSocketHandshake.asHTTP(location)
        guard target != location else { return self }
        var head = self
        head.headers["Location"] = target.absoluteString
        return head
    }
}
